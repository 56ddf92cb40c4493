/** Actions on all jobs that match: first the count, then the question, then the progress. */

import { ask } from './dialog.js';
import { LIMITS } from './limits.js';
import { showOperation } from './operations.js';
import { isToBeSettled, isUnfinished } from './states.js';
import { count, number, sentence } from './words.js';

const verbs = { cancel: 'Cancel', replay: 'Replay', drop: 'Drop' };

/** Filters that a command about many jobs can have. With any other one the jobs are named by their ids. */
const commandFilters = new Set(['department', 'kind']);

/**
 * The jobs that match a filter, counted.
 * @returns {Promise<{unfinished: object, failed: object, isPartial: boolean}>} A part has `jobs`, and `ids` or `filter`.
 */
export async function countMatching(app, filter, tell = () => {}) {
  const named = Object.keys(filter).filter((name) => filter[name]);
  return named.every((name) => commandFilters.has(name)) ? countByCommand(app, filter) : collect(app, filter, tell);
}

async function countByCommand(app, filter) {
  const [unfinished, failed] = await Promise.all(
    ['cancel', 'replay'].map((action) => app.api.get('count', { action, ...filter })),
  );
  return { unfinished: { ...unfinished, filter }, failed: { ...failed, filter }, isPartial: false };
}

async function collect(app, filter, tell) {
  const unfinished = { jobs: 0, held: 0, queued: 0, running: 0, ids: [] };
  const failed = { jobs: 0, ids: [] };
  let before = null;
  let seen = 0;
  do {
    const page = await app.api.get('jobs', { ...filter, before, limit: LIMITS.collectedPage });
    for (const job of page.jobs) put(job, unfinished, failed);
    seen += page.jobs.length;
    tell(seen);
    before = page.next ?? null;
  } while (before !== null && seen < LIMITS.collectedJobs);
  return { unfinished, failed, isPartial: before !== null };
}

function put(job, unfinished, failed) {
  if (isUnfinished(job.state)) {
    unfinished.ids.push(job.id);
    unfinished.jobs += 1;
    unfinished[job.state] += 1;
  } else if (isToBeSettled(job)) {
    failed.ids.push(job.id);
    failed.jobs += 1;
  }
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
  return actOnCounted(app, action, action === 'cancel' ? found.unfinished : found.failed, found.isPartial);
}

/** The same for jobs that have been counted. */
export async function actOnCounted(app, action, part, isPartial = false) {
  if (part.jobs === 0) {
    app.notice.tell(action === 'cancel' ? 'No such job waits or runs.' : 'There is no such failed job.');
    return false;
  }
  const answer = await ask({
    title: questionWords(action, part),
    text:
      explanations[action] +
      (isPartial ? ` These are the newest of those that match: at most ${number(LIMITS.collectedJobs)} at once.` : ''),
    action: `${verbs[action]} ${number(part.jobs)}`,
    danger: action !== 'replay',
  });
  if (answer === null) return false;
  await (part.ids ? actOnIds(app, action, part.ids) : actByCommand(app, action, part.filter));
  return true;
}

async function actByCommand(app, action, filter) {
  const named = Object.fromEntries(Object.entries(filter).filter(([, value]) => value));
  const answer = await app.actions.send(action, Object.keys(named).length > 0 ? named : { all: true });
  await finish(app, action, answer);
}

/** Acts on jobs by their ids, in as many requests as they need. */
export async function actOnIds(app, action, ids) {
  const changes = { changed: [], unchanged: [] };
  for (let start = 0; start < ids.length; start += LIMITS.jobsInOneRequest) {
    const jobs = ids.slice(start, start + LIMITS.jobsInOneRequest);
    const answer = await app.actions.send(action, { jobs }).catch((error) => {
      throw start === 0 ? error : halfWay(action, changes, jobs.length, ids.length - start, error);
    });
    changes.changed.push(...answer.changed);
    changes.unchanged.push(...answer.unchanged);
  }
  await finish(app, action, changes);
}

/** Some requests were answered, and one was not: what is done, what is not, and why. */
function halfWay(action, changes, asked, left, error) {
  const isRefused = error.status >= 400 && error.status < 500;
  const unknown = isRefused ? 0 : asked;
  const untouched = left - unknown;
  const rest = [
    unknown > 0 ? `Of ${number(unknown)} more nobody knows` : null,
    untouched > 0 ? `${number(untouched)} ${untouched === 1 ? 'is' : 'are'} left` : null,
  ];
  return new Error(
    `${changesWords(action, changes)} ${rest.filter(Boolean).join('; ')}. ${sentence(error.message)}`,
  );
}

const done = { cancel: 'cancelled', replay: 'submitted again', drop: 'dropped' };
const reasons = {
  unknown: 'are not known any more',
  ended: 'had ended',
  not_failed: 'have not failed',
  replayed: 'were replayed before',
  dropped: 'were dropped before',
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
