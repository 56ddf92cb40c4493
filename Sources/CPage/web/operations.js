/** Commands about many jobs: how far they have come. */

import { h } from './dom.js';
import { showWork } from './dialog.js';
import { LIMITS } from './limits.js';
import { View } from './view.js';
import { count, moment, number } from './words.js';

const verbs = {
  cancel: ['Cancels', 'cancelled'],
  replay: ['Replays', 'submitted again'],
  drop: ['Drops', 'dropped'],
  reset: ['Resets', 'cancelled'],
  reset_keys: ['Resets keys', 'cancelled'],
  accept_restored: ['Accepts after the restore', 'released'],
  drop_restored: ['Drops after the restore', 'cancelled'],
};

/** What an operation does, and to which jobs: `Cancels deposits`. */
export function operationWords(operation) {
  const { department, kind, key, filter = {} } = operation;
  const { state, error, key: ofJobs, plan, since_ms: since, until_ms: until } = filter;
  const moments = [since && `since ${moment(since)}`, until && `until ${moment(until)}`];
  const what = [department, kind, key, state, error, ofJobs, plan, ...moments].filter(Boolean).join(' · ');
  const by = operation.by ? `, by ${operation.by}` : '';
  return `${verbs[operation.action]?.[0] ?? operation.action} ${what || 'all jobs'}${by}`;
}

/** What became of its jobs: `1,204 jobs cancelled`; of keys: `The key is reset, 1 job cancelled`. */
export function outcomeWords(operation) {
  const words = `${count(operation.changed, 'job')} ${verbs[operation.action]?.[1] ?? 'changed'}`;
  if (operation.action !== 'reset_keys') return words;
  return `${operation.key ? 'The key is' : 'The keys are'} reset, ${words}`;
}

/** A bar with its words. */
export function operationProgress(operation) {
  const isDone = Number.isFinite(operation.finished_ms);
  const whole = Math.max(1, operation.total);
  return h(
    'div',
    { class: 'operation', key: `operation ${operation.id}` },
    h('progress', {
      max: whole,
      value: isDone ? whole : Math.min(operation.looked, whole),
      'aria-label': operationWords(operation),
    }),
    h(
      'span',
      null,
      isDone
        ? `Done: ${outcomeWords(operation)}.`
        : `${number(operation.looked)} of ${number(operation.total)} looked at, ${outcomeWords(operation)}.`,
    ),
  );
}

/**
 * Follows an operation to its end. `tell` is called with each of its states. An answer that does not come is asked for
 * again: the operation goes on without the page.
 * @returns {Promise<object>} The operation when it is done.
 */
export async function follow(api, operation, tell) {
  let latest = operation;
  tell(latest);
  while (!Number.isFinite(latest.finished_ms)) {
    await new Promise((resolve) => setTimeout(resolve, LIMITS.operationPause));
    latest = await api.get(`operations/${operation.id}`).catch((error) => {
      if (error.status === 404 || error.status === 401) throw error;
      return latest;
    });
    tell(latest);
  }
  return latest;
}

/** Follows an operation in a dialog that may be closed: the operation goes on. */
export async function showOperation(app, operation) {
  let latest = operation;
  const body = h('div');
  const view = new View(body, () => [
    operationProgress(latest),
    Number.isFinite(latest.finished_ms)
      ? null
      : h('p', { class: 'soft' }, 'The coordinator carries it out: it continues when you close this, or the window.'),
  ]);
  const close = showWork(operationWords(operation), body);
  try {
    const done = await follow(app.api, operation, (state) => {
      latest = state;
      view.draw();
    });
    app.notice.tell(`${outcomeWords(done)}.`, 'good');
    return done;
  } finally {
    close();
    view.end();
  }
}
