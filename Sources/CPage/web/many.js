/** Actions on all jobs that match: first the count, then the question, then the progress. */

import { ask } from './dialog.js';
import { showOperation } from './operations.js';
import { isUnfinished } from './states.js';
import { count, number } from './words.js';

const verbs = { cancel: 'Cancel', replay: 'Replay', drop: 'Drop' };

/**
 * The jobs that match the filter of a list, counted by the coordinator.
 * @returns {Promise<{unfinished: object, failed: object}>} Each has `jobs`, the numbers of its states, and `filter`.
 */
export async function countMatching(app, filter) {
  const { state = null, error = null, unsettled = null, ...rest } = filter;
  const [unfinished, failed] = await Promise.all([
    isOfFailed(filter) ? none : counted(app, 'cancel', { ...rest, state }),
    state && state !== 'failed' ? none : counted(app, 'replay', { ...rest, error }),
  ]);
  return { unfinished, failed };
}

/** What a part is where no job of it can match. */
const none = { jobs: 0, held: 0, queued: 0, running: 0, failed: 0 };

/** Whether only ended jobs can match. */
function isOfFailed({ state, error, unsettled }) {
  return Boolean(error || unsettled || (state && !isUnfinished(state)));
}

async function counted(app, action, filter) {
  return { ...(await app.api.get('count', { action, ...filter })), filter: named(filter) };
}

/** Members without a value say nothing. A moment is a number. */
function named(filter) {
  const given = Object.entries(filter).filter(([, value]) => value);
  return Object.fromEntries(given.map(([name, value]) => [name, name.endsWith('_ms') ? Number(value) : value]));
}

/** The question before an action: `Cancel 1,204 jobs: 1,190 not begun, 14 running?` */
export function questionWords(action, part) {
  const jobs = `${verbs[action]} ${count(part.jobs, 'job')}`;
  if (action !== 'cancel' || !Number.isFinite(part.running)) return `${jobs}?`;
  const waits = part.held + part.queued;
  // Those that are held for a time or for other jobs are among them.
  const plans = part.plans > 0 ? `, and ${count(part.plans, 'plan')} end` : '';
  return `${jobs}: ${number(waits)} not begun, ${number(part.running)} running${plans}?`;
}

const explanations = {
  cancel: 'Those that have not begun never run. Those that run are stopped. This cannot be undone.',
  replay: 'Each is submitted again as a new job.',
  drop: 'They stay failed, and nobody has to look after them any more.',
};

/** Counts, asks, acts, and shows how far it is. Returns whether anything was done. */
export async function actOnMatching(app, action, filter) {
  const found = await countMatching(app, filter);
  return actOnCounted(app, action, action === 'cancel' ? found.unfinished : found.failed);
}

/** The same for jobs that have been counted. */
export async function actOnCounted(app, action, part) {
  if (part.jobs === 0) {
    app.notice.tell(action === 'cancel' ? 'No such job waits or runs.' : 'There is no such failed job.');
    return false;
  }
  const answer = await ask({
    title: questionWords(action, part),
    text: explanations[action],
    action: `${verbs[action]} ${number(part.jobs)}`,
    danger: action !== 'replay',
  });
  if (answer === null) return false;
  await (part.ids ? actOnIds(app, action, part.ids) : actByCommand(app, action, part.filter));
  return true;
}

/** One command, which the coordinator carries out in steps: it goes on when this window is closed. */
async function actByCommand(app, action, filter) {
  const answer = await app.actions.send(action, Object.keys(filter).length > 0 ? filter : { all: true });
  await finish(app, action, answer);
}

/** Acts on jobs by their ids: at most those of one page of a list. */
export async function actOnIds(app, action, jobs) {
  await finish(app, action, await app.actions.send(action, { jobs }));
}

const done = { cancel: 'cancelled', replay: 'submitted again', drop: 'dropped' };
const reasons = {
  unknown: 'are not known any more',
  ended: 'had ended',
  not_failed: 'have not failed',
  replayed: 'were replayed before',
  dropped: 'were dropped before',
  handled: 'were handled by their plan',
  no_department: 'have a department that is not configured any more',
};

/** An answer is a list of changes, or an operation that goes on. */
async function finish(app, action, answer) {
  if (answer.id !== undefined) return showOperation(app, answer);
  app.notice.tell(changesWords(action, answer), answer.changed.length > 0 ? 'good' : 'warn');
}

function changesWords(action, { changed, unchanged }) {
  const left = new Map();
  for (const { reason } of unchanged) left.set(reason, (left.get(reason) ?? 0) + 1);
  const parts = [...left].map(([reason, jobs]) => `${number(jobs)} ${reasons[reason] ?? reason.replaceAll('_', ' ')}`);
  const rest = parts.length > 0 ? ` Left as they are: ${parts.join(', ')}.` : '';
  return `${count(changed.length, 'job')} ${done[action]}.${rest}`;
}
