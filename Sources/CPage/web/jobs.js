/** The list of jobs: filters, pages by place, and actions on those that are selected or on all that match. */

import { filterForm, filterNames, filterWords, offerDepartments } from './job-filters.js';
import { jobColumns } from './job-columns.js';
import { h } from './dom.js';
import { showFound } from './find.js';
import { LIMITS } from './limits.js';
import { questionScreen } from './screen.js';
import { Selection } from './selection.js';
import { isUnfinished } from './states.js';
import { pager, table } from './table.js';
import { number } from './words.js';

/** What an event says of its job: its state, and what holds it. */
const statesOfEvents = new Map([
  ['released', ['queued', null]],
  ['started', ['running', null]],
  ['attempt_failed', ['held', 'retry']],
  ['succeeded', ['succeeded', null]],
  ['failed', ['failed', null]],
  ['cancelled', ['cancelled', null]],
]);

/** @returns {Promise<() => void>} Ends the screen. */
export async function show(main, app) {
  if (app.query.find) return showFound(main, app, app.query.find);
  const filter = Object.fromEntries(filterNames.map((name) => [name, app.query[name] ?? null]));
  const before = app.query.before ?? null;
  const selection = new Selection(app, filter, () => screen.draw());
  const form = filterForm(app, filter);
  const screen = questionScreen(main, {
    title: 'Jobs',
    above: [form],
    pause: null,
    ask: () => app.api.get('jobs', { ...filter, before, limit: LIMITS.jobRows }),
    body: (page) => list(app, page, filter, before, selection),
  });
  const offs = [
    app.live.on('events', (events) => {
      if (screen.source.value && applyEvents(screen.source.value.jobs, events)) screen.draw();
    }),
  ];
  // The departments are offered once: nothing changes in a field while somebody fills it in.
  if (app.live.board) {
    offerDepartments(form, app.live.board);
  } else {
    const off = app.live.on('board', (board) => {
      offerDepartments(form, board);
      off();
    });
    offs.push(off);
  }
  return () => {
    for (const off of offs) off();
    screen.end();
  };
}

function list(app, page, filter, before, selection) {
  const columns = jobColumns(app);
  if (app.actions.areAllowed) columns.unshift(selection.column());
  const words = filterWords(filter);
  return [
    h(
      'p',
      { class: 'soft', key: 'matching' },
      words === '' ? 'All jobs, the newest first' : `Jobs ${words}, the newest first`,
      before ? `, before number ${number(Number(before))}.` : '.',
    ),
    selection.bar(page.jobs),
    table({
      caption: 'Jobs',
      columns,
      items: page.jobs,
      key: (job) => job.id,
      limit: LIMITS.jobRows,
      rowClass: (job) => (selection.has(job.id) ? 'selected' : null),
      empty: page.next ? 'No job of this page matches. The next page may have some.' : 'No job matches.',
    }),
    pager(app, { path: '/jobs', query: filter, place: before, next: page.next, name: 'before' }),
  ];
}

/** Keeps the rows right without asking again: events say what has become of their jobs. Returns whether a row has changed. */
export function applyEvents(jobs, events) {
  const shown = new Map(jobs.map((job) => [job.id, job]));
  let isChanged = false;
  for (const event of events) {
    const job = shown.get(event.job);
    const known = statesOfEvents.get(event.event);
    // The word of a beginning or of a release comes on a way of its own, and may come after the end, which is final.
    if (!job || !known || !isUnfinished(job.state)) continue;
    const [state, hold] = known;
    Object.assign(job, {
      state,
      hold,
      attempt: event.attempt ?? job.attempt,
      run_ms: event.run_ms ?? job.run_ms,
      // An attempt that is followed by another one leaves the job without an error of its own.
      error: (hold === null ? event.error : null) ?? job.error,
    });
    isChanged = true;
  }
  return isChanged;
}
