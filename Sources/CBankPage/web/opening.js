/** The plan by which the bank opens: its steps by rank. */

/** The plan as it was last asked for. */
export function opening(app, name, plan) {
  const { h } = app.dom;
  if (plan.error)
    return app.parts.section('Opening', 'bank-opening', h('p', { class: 'problem' }, plan.error.message));
  if (!plan.value) return null;
  const { phase, steps } = plan.value;
  return app.parts.section(
    ['Opening ', app.states.badge(phase)],
    'bank-opening',
    h(
      'ol',
      { class: 'bank-steps' },
      [...steps].sort((one, other) => one.rank - other.rank).map((step) => item(app, step)),
    ),
    h('p', null, app.link(`/plans/${encodeURIComponent(name)}`, 'The whole plan')),
  );
}

function item({ dom: { h }, parts, states }, step) {
  return h(
    'li',
    { key: step.job ?? `${step.rank} ${step.name}` },
    h('span', { class: 'rank' }, step.rank),
    ' ',
    parts.foreign(step.name),
    ' ',
    states.badge(step.state, step.round > 1 ? `round ${step.round}` : null),
    step.required ? null : h('span', { class: 'soft' }, ' optional'),
  );
}
