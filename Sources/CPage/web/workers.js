/** The workers: what they serve, and whether they are heard. */

import { segment } from './api.js';
import { departmentLink, resizeButton } from './department-actions.js';
import { h } from './dom.js';
import { LIMITS } from './limits.js';
import { foreign, shortId, sinceAgo, ticking } from './parts.js';
import { questionScreen } from './screen.js';
import { badge } from './states.js';
import { pager, table } from './table.js';
import { count, number } from './words.js';

/** Workers are heard every few seconds. One that is silent for longer may have died. */
const silence = 15_000;

/** @returns {Promise<() => void>} Ends the screen. */
export async function show(main, app) {
  const after = app.query.after ?? null;
  const screen = questionScreen(main, {
    title: 'Workers',
    ask: () => heardNow(app.api.get('workers', { after })),
    body: (page) => [
      table({
        caption: 'Workers',
        items: page.workers,
        key: (worker) => worker.id,
        limit: LIMITS.listRows,
        empty: 'No worker has been heard. Nothing runs until one is started.',
        columns: columns(app),
      }),
      pager(app, { path: '/workers', query: {}, place: after, next: page.next, name: 'after' }),
    ],
  });
  return screen.end;
}

/** Turns "so long ago" into a moment, because the list itself grows older. */
async function heardNow(question) {
  const page = await question;
  for (const worker of page.workers) worker.seen_ms = sinceAgo(worker.last_seen_ms);
  return page;
}

function columns(app) {
  return [
    { title: 'Worker', isHeader: true, cell: (worker) => [foreign(worker.name), h('small', null, shortId(worker.id))] },
    { title: 'State', cell: standing },
    {
      title: 'Tellers',
      cell: (worker) =>
        h(
          'ul',
          { class: 'plainlist' },
          Object.entries(worker.tellers).map(([name, tellers]) =>
            h(
              'li',
              { key: name },
              departmentLink(app, name),
              ` ${number(tellers)} `,
              worker.paused.includes(name) ? badge('paused') : null,
              resizeButton(app, name, { worker, className: 'quiet' }),
            ),
          ),
        ),
    },
    { title: 'Runs', className: 'number', cell: (worker) => number(worker.running) },
    { title: 'Fetched', className: 'number', cell: (worker) => number(worker.in_hand ?? 0) },
    { title: 'Kinds', cell: kinds },
    { title: 'Stuck', cell: (worker) => stuck(app, worker) },
    { title: 'Last heard', cell: (worker) => ticking('ago', worker.seen_ms) },
    app.actions.areAllowed
      ? {
          title: '',
          label: 'Actions',
          className: 'acts',
          cell: (worker) => (worker.draining || worker.told_to_drain ? null : drainButton(app, worker)),
        }
      : null,
  ];
}

function standing(worker) {
  if (worker.last_seen_ms > silence) return badge('silent');
  if (worker.draining) return badge('draining');
  return worker.told_to_drain ? badge('draining', '(told)') : badge('connected');
}

function kinds({ kinds: names }) {
  if (!names) return 'all';
  if (names.length === 0) return 'none';
  return h(
    'details',
    null,
    h('summary', null, count(names.length, 'kind')),
    h(
      'ul',
      { class: 'plainlist' },
      names.slice(0, LIMITS.listRows).map((name) => h('li', { key: name }, foreign(name))),
    ),
  );
}

function stuck(app, worker) {
  if (worker.stuck_count === 0) return '–';
  return [
    `${count(worker.stuck_count, 'job')}: `,
    worker.stuck.map((id) => [app.link(`/jobs/${segment(id)}`, shortId(id)), ' ']),
  ];
}

function drainButton(app, worker) {
  return app.actions.button('Drain …', () => drain(app, worker), {
    key: `drain ${worker.id}`,
    className: 'danger',
    title: `Drain ${worker.name}`,
  });
}

async function drain(app, worker) {
  const isSure = await app.confirm({
    title: `Drain ${worker.name}: ${count(worker.running, 'job')} ${worker.running === 1 ? 'runs' : 'run'} there?`,
    text: 'It takes no further job, finishes those that run, and ends. This cannot be taken back.',
    action: 'Drain',
    danger: true,
  });
  if (!isSure) return;
  await app.actions.perform('drain', { worker: worker.id }, (order) =>
    order.told
      ? `${order.name} drains: ${count(order.running, 'job')} to finish.`
      : `${order.name} is silent. It is told as soon as it is heard.`,
  );
}
