/** What can be done to a department: pause, resume, resize, and cancel what is in it. */

import { segment } from './api.js';
import { LIMITS } from './limits.js';
import { h } from './dom.js';
import { foreign, ticking } from './parts.js';
import { badge } from './states.js';
import { actOnMatching } from './many.js';
import { count, number } from './words.js';

/** The most tellers that a worker may have. */
const mostTellers = 10_000;

/** A link to a department. */
export function departmentLink(app, name) {
  return app.link(`/departments/${segment(name)}`, foreign(name));
}

/** How many failed jobs of a department are to be looked at, as a link to them. */
export function failedLink(app, department, unsettled, words = '') {
  return unsettled > 0 ? app.link('/failed', `${number(unsettled)}${words}`, { department }) : `0${words}`;
}

/** Why a department as a whole does not serve. */
export function departmentBadges(status) {
  return [
    hasNoWorker(status) ? badge('no_worker') : null,
    status.stuck_tellers > 0 ? badge('stuck', stuckWords(status)) : null,
    status.configured === false ? badge('not_configured') : null,
    status.refused ? badge('out', `the broker refuses its queue: ${status.refused}`) : null,
    status.paused ? badge('paused') : null,
    status.gates?.length > 0 ? badge('gated', `by ${status.gates.join(', ')}`) : null,
    status.ordered ? badge('ordered') : null,
  ];
}

/** Whether every teller has a handler that was told to stop and has not. */
export function areAllStuck(status) {
  return status.stuck_tellers > 0 && status.stuck_tellers >= status.tellers;
}

function stuckWords({ stuck_tellers: stuck, tellers }) {
  return `${number(stuck)} of ${number(tellers)} tellers`;
}

/** Whether jobs wait that nobody would take. */
export function hasNoWorker(status) {
  return status.tellers === 0 && waitingJobs(status) > 0;
}

/** The jobs that wait for nothing but their turn, a teller or a handler. */
export function waitingJobs(status) {
  return heldForTurn(status) + status.queued;
}

/** Those of them that are not released. */
export function heldForTurn(status) {
  return status.held - laterJobs(status) - status.retrying;
}

/** The jobs that wait for their time, or for other jobs. */
export function laterJobs(status) {
  return status.delayed + status.dependent;
}

/** `25, next in 2 min: connection_refused`, as a problem; 0 where nothing is tried again. */
export function retryWords({ retrying, next_retry: next }) {
  if (!(retrying > 0)) return '0';
  return h('span', { class: 'bad' }, number(retrying), next ? h('small', { class: 'bad' }, nextWords(next)) : null);
}

function nextWords({ at_ms: at, error }) {
  return ['next ', ticking('until', at), error ? [': ', foreign(error.error, 'cut')] : null];
}

/** Pauses or resumes, whichever is possible. */
export function pauseButton(app, { name, paused }) {
  return paused
    ? app.actions.button('Resume', () => app.actions.perform('resume', { department: name }, `${name} goes on.`), {
        key: `pause ${name}`,
        title: `Resume ${name}`,
      })
    : app.actions.button('Pause', () => app.actions.perform('pause', { department: name }, `${name} is paused.`), {
        key: `pause ${name}`,
        title: `Pause ${name}`,
      });
}

/** Resumes a paused department. */
export function resumeButton(app, name) {
  return app.actions.button(
    `Resume ${name}`,
    () => app.actions.perform('resume', { department: name }, `${name} goes on.`),
    { className: 'main' },
  );
}

/** The resize button. Where no teller serves the department there is nothing to resize: then a link to the workers. */
export function resizeOrWorkers(app, status) {
  return status.tellers > 0 ? resizeButton(app, status.name) : app.link('/workers', 'Workers');
}

/** Changes the numbers of tellers; `worker`: only of that one. */
export function resizeButton(app, department, { worker = null, label = 'Resize', className = null } = {}) {
  return app.actions.button(label, () => resize(app, department, worker), {
    key: `resize ${department} ${worker?.id ?? ''}`,
    title: `Change the tellers of ${department}`,
    className,
  });
}

/** Each worker has a field with its own number: only those that are changed are told. */
async function resize(app, department, worker) {
  const workers = worker ? [worker] : await workersOf(app, department);
  if (workers.length === 0) return app.notice.tell(`No worker serves ${department}: start one.`);
  const shown = workers.slice(0, LIMITS.resizedWorkers).map((one, index) => ({
    name: `worker-${index}`,
    worker: one,
    before: one.tellers[department] ?? 0,
  }));
  const hidden = workers.slice(LIMITS.resizedWorkers);
  const rest = hidden.reduce((sum, one) => sum + (one.tellers[department] ?? 0), 0);
  const total = (values) => shown.reduce((sum, { name }) => sum + Number(values[name]), rest);
  const before = shown.reduce((sum, one) => sum + one.before, rest);
  const answer = await app.ask({
    title: `Tellers of ${department}`,
    text:
      'With fewer tellers, the jobs that run continue. A worker with 0 takes no further job. The change lasts as long as ' +
      `the worker runs.${hidden.length > 0 ? ` ${count(hidden.length, 'more worker')} can be resized under Workers.` : ''}`,
    fields: shown.map(({ name, worker: one, before: value }) => ({
      name,
      label: one.name,
      type: 'number',
      min: 0,
      max: mostTellers,
      value,
    })),
    summary: (values) => `Together ${count(total(values), 'teller')}; now ${number(before)}.`,
    action: 'Resize',
  });
  if (answer === null) return;
  const changed = shown.filter(({ name, before: value }) => Number(answer[name]) !== value);
  if (changed.length === 0) return app.notice.tell(`Nothing is changed: ${department} has ${count(before, 'teller')}.`);
  const done = [];
  for (const { name, worker: one } of changed) {
    const body = { department, tellers: Number(answer[name]), worker: one.id };
    done.push(...(await app.actions.send('resize', body)).workers);
  }
  app.notice.tell(
    `${department}: ${done.map((one) => `${one.name} ${one.before} → ${one.tellers}`).join(', ')}.`,
    'good',
  );
}

async function workersOf(app, department) {
  const found = [];
  let after = null;
  do {
    const page = await app.api.get('workers', { department, after });
    found.push(...page.workers);
    after = page.next ?? null;
  } while (after !== null && found.length < LIMITS.collectedWorkers);
  return found;
}

/** Cancels everything in a department, after the count. */
export function cancelAllButton(app, department) {
  return app.actions.button('Cancel all …', () => actOnMatching(app, 'cancel', { department }), {
    key: `cancel all ${department}`,
    title: `Cancel all jobs of ${department} that wait or run`,
    className: 'danger',
  });
}
