/** One plan: its steps by rank, its gates, and its events. */

import { segment } from './api.js';
import { departmentLink } from './department-actions.js';
import { h } from './dom.js';
import { acceptEventButton, dismissEventButton } from './event-actions.js';
import { LIMITS } from './limits.js';
import { at, facts, failure, foreign, freshness, head, section, shortId, ticking } from './parts.js';
import { planStartButton, planStopButton } from './plan-actions.js';
import { Source } from './source.js';
import { badge } from './states.js';
import { table } from './table.js';
import { View } from './view.js';
import { duration, number } from './words.js';

/** @returns {Promise<() => void>} Ends the screen. */
export async function show(main, app) {
  const { name } = app.parameters;
  const ask = async () => {
    const [plan, events] = await Promise.all([
      app.api.get(`plans/${segment(name)}`),
      app.api.get('events', { plan: name }),
    ]);
    return { plan, events };
  };
  const source = new Source(ask, { draw: () => view.draw(), pause: LIMITS.listPause });
  const view = new View(main, () => body(app, name, source));
  const off = app.live.on('events', (events) => {
    const department = source.value?.plan.department;
    if (events.some((event) => event.plan === name || event.department === department))
      source.refreshSoon(LIMITS.eventPause);
  });
  source.refresh();
  return () => {
    off();
    source.end();
    view.end();
  };
}

function body(app, name, source) {
  if (!source.value) return [head(['Plan ', foreign(name)]), freshness(source)];
  const { plan, events } = source.value;
  return [
    head(
      ['Plan ', foreign(name)],
      badge(plan.phase),
      h('div', { class: 'acts' }, buttons(app, plan)),
      h('div', { class: 'beside' }, freshness(source)),
    ),
    plan.error
      ? h(
          'p',
          { class: 'reason', key: 'error' },
          h('strong', null, foreign(plan.error.error)),
          ': ',
          foreign(plan.error.message),
        )
      : null,
    planFacts(app, plan),
    section(
      'Steps by rank',
      'steps',
      stepList(app, plan),
      plan.steps_omitted > 0
        ? h('p', { class: 'more' }, app.link('/jobs', `${number(plan.steps_omitted)} more steps`, { plan: plan.run }))
        : null,
    ),
    section('Events', 'events', eventList(app, plan, events)),
  ];
}

/** A run without a name is started by its sender alone. */
function buttons(app, plan) {
  if (!plan.name) return null;
  const isActive = plan.phase === 'running' || plan.phase === 'open';
  return isActive ? planStopButton(app, plan.name, plan.gates) : planStartButton(app, plan.name);
}

function planFacts(app, plan) {
  return facts([
    ['Department', departmentLink(app, plan.department)],
    [
      'Gates',
      plan.gates.length === 0
        ? 'none'
        : plan.gates.map((gate) =>
            h(
              'span',
              { class: 'gate', key: gate.department },
              departmentLink(app, gate.department),
              ' ',
              badge(gate.open ? 'open' : 'shut'),
              ' ',
            ),
          ),
    ],
    ['Begun', Number.isFinite(plan.accepted_ms) ? at(plan.accepted_ms) : null],
    [
      'Ended',
      Number.isFinite(plan.finished_ms)
        ? [at(plan.finished_ms), `, after ${duration(plan.finished_ms - plan.accepted_ms)}`]
        : null,
    ],
    ['Run', plan.run ? app.link('/jobs', shortId(plan.run), { plan: plan.run }) : null],
  ]);
}

function stepList(app, plan) {
  const steps = plan.steps
    .map((step, index) => ({ ...step, index }))
    .sort((one, other) => one.rank - other.rank || one.index - other.index);
  return table({
    caption: 'Steps by rank',
    items: steps,
    key: (step) => step.job ?? `${step.rank} ${step.name}`,
    limit: LIMITS.listRows,
    empty: 'The plan has no steps.',
    columns: [
      { title: 'Rank', className: 'number', cell: (step) => number(step.rank) },
      {
        title: 'Step',
        isHeader: true,
        cell: (step) => [
          step.job ? app.link(`/jobs/${segment(step.job)}`, foreign(step.name)) : foreign(step.name),
          remark(step),
        ],
      },
      { title: 'Kind', cell: (step) => foreign(step.kind) },
      { title: 'State', cell: (step) => badge(step.state) },
      { title: 'Error', cell: (step) => failure(step.error) },
    ],
  });
}

function remark(step) {
  const words = [
    step.round === 0 ? 'event' : step.required ? null : 'optional',
    step.round > 1 ? `round ${step.round}: the plan went back` : null,
  ]
    .filter(Boolean)
    .join(', ');
  return words ? h('small', null, words) : null;
}

function eventList(app, plan, { events }) {
  return [
    plan.events.length > 0
      ? h(
          'p',
          { class: 'soft', key: 'received' },
          'It receives: ',
          plan.events
            .map(
              (event) =>
                `${event.name} (rank ${number(event.rank)}, ${event.when_open === 'announce' ? 'announced' : 'run at once'} when open)`,
            )
            .join(', '),
          '.',
        )
      : null,
    table({
      caption: 'Events',
      items: events,
      key: (event) => event.id,
      limit: LIMITS.listRows,
      empty: 'No event has come.',
      columns: [
        {
          title: 'Event',
          isHeader: true,
          cell: (event) =>
            event.state === 'acted' ? app.link(`/jobs/${segment(event.id)}`, foreign(event.name)) : foreign(event.name),
        },
        { title: 'State', cell: (event) => badge(event.state) },
        { title: 'Received', cell: (event) => ticking('ago', event.received_ms) },
        { title: 'Decided', cell: (event) => at(event.decided_ms) },
        app.actions.areAllowed
          ? {
              title: '',
              label: 'Actions',
              className: 'acts',
              cell: (event) => [
                event.state === 'announced' ? acceptEventButton(app, event.id) : null,
                ['announced', 'kept'].includes(event.state) ? dismissEventButton(app, event.id) : null,
              ],
            }
          : null,
      ],
    }),
  ];
}
