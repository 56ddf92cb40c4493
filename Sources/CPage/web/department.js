/** One department: those that wait, in the order in which they will be served, and those that are served. */

import { segment } from './api.js';
import {
  areAllStuck,
  cancelAllButton,
  departmentBadges,
  failedLink,
  heldForTurn,
  laterJobs,
  pauseButton,
  resizeOrWorkers,
  retryWords,
  waitingJobs,
} from './department-actions.js';
import { h } from './dom.js';
import { forecastWords, isWorrying, loadWords, pastWords } from './forecast.js';
import { Gantt } from './gantt.js';
import { LIMITS } from './limits.js';
import { facts, foreign, head, section, ticking } from './parts.js';
import { holdWords } from './states.js';
import { table } from './table.js';
import { View } from './view.js';
import { number } from './words.js';

/** The page shows the rows of so many departments at once, for all who look. */
const noRows = 'The rows are not shown now: too many departments are looked at.';

/** @returns {Promise<() => void>} Ends the screen. */
export async function show(main, app) {
  const { name } = app.parameters;
  const gantt = new Gantt();
  const [top, chart, lanes] = [h('div'), section('Tellers', 'tellers', gantt.element), h('div')];
  main.replaceChildren(top, chart, lanes);
  app.live.watch([name]);
  const views = [new View(top, () => summary(app, name)), new View(lanes, () => bothLanes(app, name))];
  const takeBoard = () => {
    const one = app.live.department(name);
    if (one?.running && app.live.hasRows) gantt.setRunning(one.running, one.status.tellers);
    for (const view of views) view.draw();
  };
  const offs = [
    app.live.on('board', takeBoard),
    app.live.on('events', (events) => gantt.addEvents(events.filter((event) => event.department === name))),
  ];
  takeBoard();
  recentJobs(app, name).then((jobs) => gantt.addJobs(jobs));
  return () => {
    for (const off of offs) off();
    gantt.end();
    for (const view of views) view.end();
  };
}

/** What ended in the last minutes, for the chart: without it the chart begins empty. The jobs may have waited for long. */
async function recentJobs(app, department) {
  const since = app.clock.now() - LIMITS.ganttTime;
  const pages = await Promise.all(
    ['succeeded', 'failed'].map((state) =>
      app.api.get('jobs', { department, state, limit: LIMITS.ganttRuns }).catch(() => ({ jobs: [] })),
    ),
  );
  return pages
    .flatMap((page) => page.jobs)
    .filter((job) => job.finished_ms >= since)
    .sort((one, other) => one.finished_ms - other.finished_ms);
}

function summary(app, name) {
  const one = app.live.department(name);
  if (!app.live.board) return [head(name), h('p', { class: 'soft' }, 'Asking …')];
  if (!one) {
    return [
      head(name),
      h('p', { class: 'problem' }, 'There is no such department, and no job of it. ', app.link('/', 'All departments')),
    ];
  }
  const { status, forecast } = one;
  return [
    head(
      foreign(name),
      h('p', { class: 'badges' }, departmentBadges(status)),
      h('div', { class: 'acts' }, pauseButton(app, status), resizeOrWorkers(app, status), cancelAllButton(app, name)),
    ),
    h(
      'p',
      { class: 'lead' },
      h('span', { class: isWorrying(forecast) ? 'bad' : null }, forecastWords(one)),
      ' ',
      h('span', { class: 'soft' }, loadWords(forecast), ' ', pastWords(forecast)),
    ),
    numbers(app, status, app.live.board.at_ms),
  ];
}

function bothLanes(app, name) {
  const one = app.live.department(name);
  return one ? h('div', { class: 'lanes' }, waitingLane(app, one), servedLane(app, one)) : null;
}

function numbers(app, status, atMs) {
  const many = (value, words) => (value > 0 ? `${number(value)} ${words}` : null);
  const list = (...parts) => parts.filter(Boolean).join(', ');
  const special = list(
    many(status.unserved, 'for a handler'),
    many(status.suspects, 'were there when workers died'),
    many(status.void, 'ended or moved, still in the queue'),
  );
  const later = list(
    many(status.delayed, 'for a time'),
    many(status.dependent, 'for other jobs'),
    many(status.restored, 'held after a restore'),
  );
  const released = list(many(status.queued, 'queued'), many(heldForTurn(status), 'held'));
  return facts([
    ['Waiting', withParts(waitingJobs(status), released)],
    ['Retrying', status.retrying > 0 ? retryWords(status) : null],
    ['Later', withParts(laterJobs(status), later)],
    [
      'Running',
      `${number(status.running)} of ${number(status.tellers)} tellers${
        Number.isFinite(status.cap) ? `, at most ${number(status.cap)} at once` : ''
      }`,
    ],
    ['Last minute', `${number(status.accepted_last_minute)} in, ${number(status.ended_last_minute)} out`],
    [
      'Oldest wait',
      Number.isFinite(status.oldest_waiting_ms) ? ticking('lasting', atMs - status.oldest_waiting_ms) : 'no job waits',
    ],
    ['Of the waiting', special],
    [
      'Ended',
      [
        `${number(status.succeeded)} succeeded, ${number(status.failed)} failed`,
        status.unsettled > 0 ? [' (', failedLink(app, status.name, status.unsettled, ' to be looked at'), ')'] : null,
        `, ${number(status.cancelled)} cancelled`,
      ],
    ],
    ['List', app.link('/jobs', 'All its jobs', { department: status.name })],
  ]);
}

/** `226: 223 queued, 3 held`. */
function withParts(whole, parts) {
  return parts ? `${number(whole)}: ${parts}` : number(whole);
}

function waitingLane(app, { status, waiting = [] }) {
  return lane(app, {
    title: 'Waiting',
    id: 'waiting',
    caption: 'Waiting, in the order of serving',
    items: waiting,
    empty: 'No job waits.',
    columns: [
      {
        title: status.ordered ? 'Rank' : 'Priority',
        className: 'number',
        cell: (row) => number(row.rank ?? row.priority),
      },
      { title: 'Waits', className: 'number', cell: (row) => ticking('lasting', row.since_ms) },
      { title: 'For', cell: (row) => (row.hold ? holdWords(row.hold) : awaitedWords(status)) },
    ],
    rest: waitingJobs(status) - waiting.length,
    restWords: 'more wait',
    query: { department: status.name },
  });
}

/** What a released job waits for. */
function awaitedWords(status) {
  if (areAllStuck(status)) return 'a stuck teller';
  return status.tellers > 0 ? 'a teller' : 'a worker';
}

function servedLane(app, { status, running = [] }) {
  return lane(app, {
    title: 'Running',
    id: 'served',
    caption: 'Running now',
    items: running,
    empty: 'No job runs.',
    columns: [
      { title: 'Attempt', className: 'number', cell: (row) => number(row.attempt) },
      { title: 'Worker', cell: (row) => foreign(row.worker_name ?? row.worker ?? '–') },
      { title: 'Runs', className: 'number', cell: (row) => ticking('lasting', row.started_ms) },
    ],
    rest: status.running - running.length,
    restWords: 'more run',
    query: { department: status.name, state: 'running' },
  });
}

/** One of the two lanes. `rest`: how many jobs have no row in it; `query`: the list that has them. */
function lane(app, { title, id, caption, items, empty, columns, rest, restWords, query }) {
  return section(
    title,
    id,
    table({
      caption,
      items,
      key: (row) => row.job,
      limit: LIMITS.laneRows,
      empty: rest > 0 ? (app.live.hasRows ? noRows : 'Asking …') : empty,
      columns: [jobColumn(app), { title: 'Kind', cell: kindCell }, ...columns],
    }),
    rest > 0 ? h('p', { class: 'more' }, app.link('/jobs', `${number(rest)} ${restWords}`, query)) : null,
  );
}

function jobColumn(app) {
  return {
    title: 'Job',
    isHeader: true,
    cell: (row) => app.link(`/jobs/${segment(row.job)}`, `#${number(row.number)}`, {}, { title: row.job }),
  };
}

function kindCell(row) {
  const words = [row.step, row.key].filter(Boolean);
  return [
    foreign(row.kind),
    words.map((word) => h('small', null, foreign(word))),
    row.progress ? h('progress', { max: 1, value: row.progress.fraction, 'aria-label': 'Progress' }) : null,
    row.progress?.text ? h('small', null, foreign(row.progress.text)) : null,
  ];
}
