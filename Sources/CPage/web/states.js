/** The states of jobs, plans, events and the connection: each has a colour, a word and a sign. */

import { h } from './dom.js';

/** Of each state: its tone, which is its colour, and its sign. */
const looks = {
  held: ['quiet', '‖'],
  queued: ['plain', '≡'],
  running: ['busy', '▸'],
  succeeded: ['good', '✓'],
  failed: ['bad', '✕'],
  cancelled: ['quiet', '−'],
  not_started: ['quiet', '‖'],
  open: ['good', '✓'],
  stopped: ['warn', '■'],
  kept: ['plain', '‖'],
  acted: ['good', '✓'],
  announced: ['warn', '!'],
  dismissed: ['quiet', '−'],
  snoozed: ['plain', '‖'],
  interrupted: ['warn', '!'],
  no_worker: ['bad', '○'],
  stuck: ['bad', '!'],
  not_configured: ['bad', '○'],
  paused: ['warn', '‖'],
  out: ['warn', '!'],
  gated: ['warn', '‖'],
  draining: ['warn', '▾'],
  silent: ['warn', '◐'],
  connected: ['good', '●'],
  connecting: ['warn', '◐'],
  slow: ['warn', '◐'],
  blocked: ['warn', '◐'],
  lost: ['bad', '○'],
};

/** What holds a job, in few words. A later version may have holds that are not here: then the word itself is shown. */
const holds = {
  schedule: 'scheduled',
  retry: 'next attempt later',
  snooze: 'put off by its handler',
  paused: 'department paused',
  gate: 'waits for a plan',
  window: 'enough jobs are released',
  cap: 'enough jobs run',
  order: 'another goes first',
  after: 'waits for other jobs',
  handler: 'no worker has a handler',
  suspect: 'workers died with it',
  operation: 'a command goes on',
  department: 'department is not configured',
  epoch: 'ledger was put back',
  queue: 'waits for a teller',
  no_teller: 'no teller',
  claim: 'workers are asked',
  running: 'runs',
  stuck: 'does not end',
  ended: 'has ended',
  event: 'waits as an event',
  step: 'waits for a step',
};

/** The states that a job can be in, in their order. */
export const jobStates = ['held', 'queued', 'running', 'succeeded', 'failed', 'cancelled'];

/** Whether a job in this state waits or runs. */
export function isUnfinished(state) {
  return state === 'held' || state === 'queued' || state === 'running';
}

/** Whether a failed job waits for somebody to replay or drop it. */
export function isToBeSettled(job) {
  return job.state === 'failed' && !job.dropped && !job.handled && !job.replayed_as;
}

/** A state with its sign. `detail`: further words behind it. `words`: those that stand in for the state's own. */
export function badge(state, detail = null, words = state.replaceAll('_', ' ')) {
  const [tone, sign] = looks[state] ?? ['quiet', null];
  return h(
    'span',
    { class: `badge ${tone}` },
    sign ? h('span', { class: 'sign', 'aria-hidden': 'true' }, sign) : null,
    words,
    detail ? h('span', { class: 'detail' }, ` ${detail}`) : null,
  );
}

/** What holds a job, in few words. */
export function holdWords(hold) {
  return holds[hold] ?? hold.replaceAll('_', ' ');
}
