/** The record: which actions of operators were carried out, who did them, and when. */

import { segment } from './api.js';
import { departmentLink } from './department-actions.js';
import { LIMITS } from './limits.js';
import { at, foreign, shortId } from './parts.js';
import { questionScreen } from './screen.js';
import { pager, table } from './table.js';

/** @returns {Promise<() => void>} Ends the screen. */
export async function show(main, app) {
  const { job = null, before = null } = app.query;
  const screen = questionScreen(main, {
    title: job ? ['Actions about ', shortId(job)] : 'Actions',
    ask: () => app.api.get('actions', { job, before }),
    body: (page) => [
      table({
        caption: 'Actions of operators, the newest first',
        items: page.actions,
        key: (action) => `action ${action.number}`,
        limit: LIMITS.listRows,
        empty: 'No action of an operator is recorded.',
        columns: columns(app),
      }),
      pager(app, { path: '/actions', query: { job }, place: before, next: page.next ?? null, name: 'before' }),
    ],
  });
  return screen.end;
}

/** The word of an action as people read it: `reset keys`. */
export function actionWord(action) {
  return action.action.replaceAll('_', ' ');
}

function columns(app) {
  return [
    { title: 'Action', isHeader: true, cell: (action) => foreign(actionWord(action)) },
    { title: 'By', cell: (action) => foreign(action.by ?? '–') },
    { title: 'Broker user', cell: (action) => foreign(action.user ?? '–') },
    { title: 'About', cell: (action) => about(app, action) },
    { title: 'Asked for', cell: (action) => foreign(action.detail ?? '–') },
    { title: 'At', cell: (action) => at(action.at_ms) },
  ];
}

function about(app, { job, department, kind, name, operation }) {
  const parts = [
    // The run of a plan and an event have ids, too, and are no jobs.
    job ? app.link(`/jobs/${segment(job)}`, shortId(job)) : null,
    department ? departmentLink(app, department) : null,
    kind ? foreign(kind) : null,
    name ? foreign(name) : null,
    Number.isFinite(operation) ? `operation ${operation}` : null,
  ].filter((part) => part !== null);
  return parts.length > 0 ? parts.flatMap((part, index) => (index > 0 ? [', ', part] : [part])) : '–';
}
