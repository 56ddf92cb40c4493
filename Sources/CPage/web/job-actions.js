/** What can be done to one job. */

import { actOnCounted, actOnIds } from './many.js';
import { isToBeSettled, isUnfinished } from './states.js';
import { number } from './words.js';

const priorities = { min: 0, max: 9 };
const ranks = { min: 1, max: 1_000_000 };

/** The buttons for a job in its present state. */
export function jobButtons(app, job, changed) {
  const after = (work) => async () => {
    const result = await work();
    changed();
    return result;
  };
  if (isUnfinished(job.state)) {
    const part = { jobs: 1, ids: [job.id], held: 0, queued: 0, running: 0, [job.state]: 1 };
    return [
      job.state === 'running' ? null : rerankButton(app, job),
      app.actions.button(
        'Cancel …',
        after(() => actOnCounted(app, 'cancel', part)),
        { key: `cancel ${job.id}`, className: 'danger' },
      ),
    ];
  }
  if (!isToBeSettled(job)) return null;
  return [
    app.actions.button(
      'Replay',
      after(() => actOnIds(app, 'replay', [job.id])),
      { key: `replay ${job.id}`, className: 'main' },
    ),
    app.actions.button(
      'Drop',
      after(() => actOnIds(app, 'drop', [job.id])),
      { key: `drop ${job.id}`, className: 'danger' },
    ),
  ];
}

/** Moves a waiting job to another priority, or to another rank in an ordered department. */
export function rerankButton(app, job, { label = 'Move', className = null } = {}) {
  return app.actions.button(label, () => rerank(app, job), { key: `rerank ${job.id} ${label}`, className });
}

async function rerank(app, job) {
  const isRanked = Number.isFinite(job.rank);
  const [name, limits] = isRanked ? ['rank', ranks] : ['priority', priorities];
  const now = isRanked ? job.rank : job.priority;
  const answer = await app.ask({
    title: `It has the ${name} ${number(now)}: which from now on?`,
    text: isRanked
      ? 'A lower rank goes first.'
      : 'A higher priority goes first. The job keeps its id and the time since which it waits.',
    fields: [
      {
        name,
        label: isRanked ? 'Rank' : 'Priority',
        type: 'number',
        ...limits,
        value: isRanked ? Math.max(1, now - 1) : priorities.max,
      },
    ],
    action: 'Move',
  });
  if (answer === null) return;
  await app.actions.perform(
    'rerank',
    { job: job.id, [name]: Number(answer[name]) },
    (place) => `It has the ${name} ${number(place[name])} now.`,
  );
}
