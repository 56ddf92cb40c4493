/** Why a job waits, and the buttons that lift what holds it. */

import { segment } from './api.js';
import { departmentLink, resizeButton, resumeButton } from './department-actions.js';
import { h } from './dom.js';
import { at, shortId, ticking } from './parts.js';
import { planStartButton } from './plan-actions.js';
import { acceptEventButton } from './event-actions.js';
import { rerankButton } from './job-actions.js';
import { badge } from './states.js';
import { sentence } from './words.js';

/** By the hold: what lifts it. Some holds end by themselves, and have nothing here. */
const lifts = {
  paused: (app, job) => resumeButton(app, job.department),
  gate: (app, job) => gatesOf(app, job).map((plan) => [planStartButton(app, plan), planLink(app, plan)]),
  step: (app, job) => (job.plan ? app.link('/jobs', 'Steps of the plan', { plan: job.plan }) : null),
  event: (app, job) => [acceptEventButton(app, job.id), app.link('/plans', 'Plans')],
  queue: (app, job) => [
    firstButton(app, job),
    resizeButton(app, job.department, { label: `Resize ${job.department}` }),
  ],
  no_teller: (app) => app.link('/workers', 'Workers'),
  window: (app, job) => firstButton(app, job),
  cap: (app, job) => firstButton(app, job),
  order: (app, job) => [firstButton(app, job), departmentLink(app, job.department)],
  handler: (app) => app.link('/workers', 'Workers and their kinds'),
  stuck: (app) => app.link('/workers', 'Workers and their stuck jobs'),
  operation: (app) => app.link('/', 'Commands that go on'),
  restored: (app) => app.link('/', 'Held after a restore'),
};

/** What lifts a hold, where the page has another way than the command that the coordinator names. */
const liftWords = {
  running: 'It ends by itself, or press Cancel.',
};

/** All reasons, the first of them in large letters. */
export function reasonList(app, job, explanation) {
  return h(
    'ul',
    { class: 'reasons' },
    explanation.reasons.map((reason) => reasonItem(app, job, reason)),
  );
}

function reasonItem(app, job, reason) {
  return h(
    'li',
    { key: reason.hold },
    h('p', { class: 'reason' }, sentence(reason.text), ' ', h('code', { class: 'soft' }, reason.hold)),
    reason.lifts ? h('p', null, liftWords[reason.hold] ?? sentence(reason.lifts)) : null,
    h(
      'p',
      { class: 'soft' },
      Number.isFinite(reason.since_ms)
        ? ['Since ', at(reason.since_ms), ', for ', ticking('lasting', reason.since_ms), '. ']
        : null,
      Number.isFinite(reason.until_ms) ? untilWords(reason) : null,
    ),
    reason.jobs?.length > 0
      ? h(
          'p',
          null,
          'Jobs: ',
          reason.jobs.map((id) => [app.link(`/jobs/${segment(id)}`, shortId(id)), ' ']),
        )
      : null,
    h('div', { class: 'acts' }, lifts[reason.hold]?.(app, job) ?? null),
    !app.actions.areAllowed && reason.lifts
      ? h('p', { class: 'soft' }, 'An operator can do that; you may only look.')
      : null,
  );
}

/** When a hold ends by itself. */
function untilWords({ hold, until_ms: until }) {
  const words = hold === 'schedule' || hold === 'retry' ? 'It may start ' : 'It ends by itself ';
  return [words, at(until), ' (', ticking('until', until), ').'];
}

function firstButton(app, job) {
  return rerankButton(app, job, { label: 'Move it forward', className: 'main' });
}

function gatesOf(app, job) {
  return app.live.department(job.department)?.status.gates ?? [];
}

function planLink(app, plan) {
  return app.link(`/plans/${segment(plan)}`, `Plan ${plan}`);
}

/** The heading over the reasons: the state in a sentence. */
export function standing(job) {
  const sentences = {
    held: 'It waits',
    queued: 'It waits in its queue',
    running: 'It runs',
    succeeded: 'It has succeeded',
    failed: 'It has failed',
    cancelled: 'It was cancelled',
  };
  return badge(job.state, null, sentences[job.state] ?? job.state);
}
