/** The plans, and the runs of those that have run. */

import { segment } from './api.js';
import { departmentLink } from './department-actions.js';
import { LIMITS } from './limits.js';
import { at, bar, foreign, shortId } from './parts.js';
import { planStartButton } from './plan-actions.js';
import { questionScreen } from './screen.js';
import { badge } from './states.js';
import { pager, table } from './table.js';
import { number } from './words.js';

/** @returns {Promise<() => void>} Ends the screen. */
export async function show(main, app) {
  const { before = null, ended = null } = app.query;
  const screen = questionScreen(main, {
    title: 'Plans',
    ask: () => app.api.get('plans', { before, ended }),
    beside: () =>
      ended
        ? app.link('/plans', 'Only the last run of each')
        : app.link('/plans', 'Earlier runs, too', { ended: 'true' }),
    body: (page) => [
      table({
        caption: 'Plans',
        items: rows(page),
        key: (plan) => plan.id ?? plan.name,
        limit: LIMITS.listRows,
        empty: 'There are no plans. They are named in teller.yaml, or submitted.',
        columns: columns(app),
      }),
      pager(app, { path: '/plans', query: { ended }, place: before, next: page.next, name: 'before' }),
    ],
  });
  const off = app.live.on('events', (events) => {
    if (events.some((event) => event.kind === 'plan' || event.plan)) screen.source.refreshSoon(LIMITS.eventPause);
  });
  return () => {
    off();
    screen.end();
  };
}

function rows(page) {
  return [
    ...page.not_started.map((name) => ({ name, phase: 'not_started' })),
    ...page.stopped.map((name) => ({ name, phase: 'stopped' })),
    ...page.plans,
  ];
}

function columns(app) {
  return [
    {
      title: 'Plan',
      isHeader: true,
      cell: (plan) =>
        plan.name
          ? app.link(`/plans/${segment(plan.name)}`, foreign(plan.name))
          : app.link(`/plans/${segment(plan.id)}`, ['run ', shortId(plan.id)]),
    },
    { title: 'Phase', cell: (plan) => badge(plan.phase) },
    {
      title: 'Steps',
      className: 'number',
      cell: (plan) =>
        Number.isFinite(plan.steps)
          ? [
              bar(plan.steps_done, plan.steps, `${plan.steps_done} of ${plan.steps} steps have ended`),
              `${number(plan.steps_done)} of ${number(plan.steps)}`,
            ]
          : '–',
    },
    { title: 'Department', cell: (plan) => (plan.department ? departmentLink(app, plan.department) : '–') },
    { title: 'Begun', cell: (plan) => at(plan.accepted_ms) },
    { title: 'Ended', cell: (plan) => at(plan.finished_ms) },
    app.actions.areAllowed
      ? {
          title: '',
          label: 'Actions',
          className: 'acts',
          cell: (plan) =>
            plan.name && !['running', 'open'].includes(plan.phase)
              ? planStartButton(app, plan.name, { label: 'Start', className: null })
              : null,
        }
      : null,
  ];
}
