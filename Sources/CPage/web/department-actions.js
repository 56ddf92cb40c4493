/** What can be done to a department: pause, resume, resize, and cancel what is in it. */

import { segment } from './api.js';
import { LIMITS } from './limits.js';
import { foreign } from './parts.js';
import { badge } from './states.js';
import { actOnMatching } from './many.js';
import { count, number } from './words.js';

/** The most tellers that a worker may have. */
const mostTellers = 10_000;

/** A link to a department. */
export function departmentLink(app, name) {
  return app.link(`/departments/${segment(name)}`, foreign(name));
}

/** How many jobs of a department have failed, as a link to them. */
export function failedLink(app, department, failed, words = '') {
  return failed > 0 ? app.link('/failed', `${number(failed)}${words}`, { department }) : `0${words}`;
}

/** Why a department as a whole does not serve. */
export function departmentBadges(status) {
  return [
    status.paused ? badge('paused') : null,
    status.gates?.length > 0 ? badge('gated', `by ${status.gates.join(', ')}`) : null,
    status.ordered ? badge('ordered') : null,
  ];
}

/** The jobs that wait, in whatever way. */
export function waitingJobs(status) {
  return status.held - status.delayed - status.dependent + status.queued;
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

/** Changes the number of tellers; `worker`: only of that one. */
export function resizeButton(app, department, { worker = null, label = 'Resize', className = null } = {}) {
  return app.actions.button(label, () => resize(app, department, worker), {
    key: `resize ${department} ${worker?.id ?? ''}`,
    title: `Change the tellers of ${department}`,
    className,
  });
}

async function resize(app, department, worker) {
  const workers = worker ? [worker] : await workersOf(app, department);
  if (workers.length === 0) return app.notice.tell(`No worker serves ${department}: start one.`);
  const now = workers.map((one) => one.tellers[department] ?? 0);
  const who = workers.length === 1 ? workers[0].name : `Each of ${count(workers.length, 'worker')}`;
  const answer = await app.ask({
    title: `${count(
      now.reduce((sum, one) => sum + one, 0),
      'teller',
    )} in ${department}: how many from now on?`,
    text:
      `${who} gets so many. With fewer tellers the jobs that run go on. With 0 no further job is taken. ` +
      'The change lasts as long as the worker runs.',
    fields: [
      {
        name: 'tellers',
        label: worker ? 'Tellers' : 'Tellers in each worker',
        type: 'number',
        min: 0,
        max: mostTellers,
        value: now[0] ?? 1,
      },
    ],
    action: 'Resize',
  });
  if (answer === null) return;
  const body = { department, tellers: Number(answer.tellers), ...(worker ? { worker: worker.id } : {}) };
  await app.actions.perform(
    'resize',
    body,
    (resized) =>
      `${department}: ${resized.workers.map((one) => `${one.name} ${one.before} → ${one.tellers}`).join(', ')}.`,
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
