/** The overview: every department with its forecast, what has failed, and which commands go on. */

import { History } from './curve.js';
import {
  departmentBadges,
  departmentLink,
  failedLink,
  laterJobs,
  pauseButton,
  resizeOrWorkers,
  retryWords,
  waitingJobs,
} from './department-actions.js';
import { h } from './dom.js';
import { forecastWords, isWorrying, pastWords } from './forecast.js';
import { LIMITS } from './limits.js';
import { operationProgress, operationWords } from './operations.js';
import { bar, facts, head, section, ticking } from './parts.js';
import { restoredSection } from './restored.js';
import { badge } from './states.js';
import { table } from './table.js';
import { View } from './view.js';
import { count, number } from './words.js';

/** The curves go on while another screen is shown. */
const history = new History();

/** @returns {Promise<() => void>} Ends the screen. */
export async function show(main, app) {
  const view = new View(main, () =>
    app.live.board ? overview(app, app.live.board) : [head('Overview'), h('p', { class: 'soft' }, 'Asking …')],
  );
  const off = app.live.on('board', (board) => {
    history.add(board.at_ms, new Map(board.departments.map(({ status }) => [status.name, waitingJobs(status)])));
    view.draw();
  });
  return () => {
    off();
    view.end();
  };
}

function overview(app, board) {
  return [
    head('Overview', totals(app, board)),
    restoredSection(app),
    departments(app, board),
    board.operations.length > 0 ? section('Commands that go on', 'operations', operations(board)) : null,
    section('System', 'system', system(app, board)),
  ];
}

function totals(app, board) {
  const sum = (read) => app.live.departments.reduce((whole, one) => whole + read(one.status), 0);
  const failed = sum((status) => status.unsettled);
  const retrying = sum((status) => status.retrying);
  return h(
    'p',
    { class: 'totals' },
    h('strong', null, number(sum(waitingJobs))),
    ' wait, ',
    h('span', { class: retrying > 0 ? 'bad' : null }, h('strong', null, number(retrying)), ' retry'),
    ', ',
    h('strong', null, number(sum(laterJobs))),
    ' later, ',
    h('strong', null, number(sum((status) => status.running))),
    ' run, ',
    app.link('/failed', failed > 0 ? [h('strong', null, number(failed)), ' failed'] : 'none failed'),
  );
}

function departments(app, board) {
  return table({
    caption: 'Departments',
    limit: LIMITS.departmentRows,
    key: (one) => one.status.name,
    items: app.live.departments,
    empty: 'There are no departments. They are named in teller.yaml.',
    columns: [
      {
        title: 'Department',
        isHeader: true,
        cell: ({ status }) => [departmentLink(app, status.name), departmentBadges(status)],
      },
      {
        title: 'Waiting',
        className: 'number',
        cell: ({ status }) => [history.curve(status.name), number(waitingJobs(status))],
      },
      { title: 'Retrying', className: 'number', cell: ({ status }) => retryWords(status) },
      { title: 'Later', className: 'number', cell: ({ status }) => number(laterJobs(status)) },
      {
        title: 'Running',
        className: 'number',
        cell: ({ status }) => [
          bar(status.running, status.tellers, `${status.running} of ${status.tellers} tellers are busy`),
          `${number(status.running)} of ${number(status.tellers)}`,
        ],
      },
      {
        title: 'In, out last min',
        className: 'number',
        cell: ({ status }) => `${number(status.accepted_last_minute)}, ${number(status.ended_last_minute)}`,
      },
      {
        title: 'Oldest wait',
        className: 'number',
        cell: ({ status }) =>
          Number.isFinite(status.oldest_waiting_ms) ? ticking('lasting', board.at_ms - status.oldest_waiting_ms) : '–',
      },
      { title: 'Failed', className: 'number', cell: ({ status }) => failedLink(app, status.name, status.unsettled) },
      {
        title: 'Forecast',
        className: 'forecast',
        cell: ({ forecast, status }) => [
          h('span', { class: isWorrying(forecast) ? 'bad' : null }, forecastWords({ forecast, status })),
          pastWords(forecast) ? h('small', null, pastWords(forecast)) : null,
        ],
      },
      app.actions.areAllowed
        ? {
            title: '',
            label: 'Actions',
            className: 'acts',
            cell: ({ status }) => [pauseButton(app, status), resizeOrWorkers(app, status)],
          }
        : null,
    ],
  });
}

function operations(board) {
  return h(
    'ul',
    { class: 'plainlist' },
    board.operations.map((operation) =>
      h(
        'li',
        { key: `operation ${operation.id}` },
        h('strong', null, operationWords(operation)),
        operationProgress(operation),
      ),
    ),
  );
}

function system(app, board) {
  const { coordinator, broker } = board;
  return facts([
    ['Broker', badge(broker.state)],
    ['Coordinator', [`Teller ${coordinator.version}, active for `, ticking('lasting', coordinator.started_ms)]],
    ['Workers', app.link('/workers', count(board.workers, 'worker'))],
    ['Ledger', [h('span', { class: 'id' }, board.ledger), `, place ${board.epoch}/${board.through}`]],
    [
      'Not told here',
      app.live.skipped > 0 ? `${count(app.live.skipped, 'event')}, because too many came at once` : null,
    ],
  ]);
}
