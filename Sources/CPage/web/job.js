/** One job: why it waits, first of all; then what has become of it. */

import { segment } from './api.js';
import { contentButtons } from './content.js';
import { departmentLink } from './department-actions.js';
import { h } from './dom.js';
import { jobButtons } from './job-actions.js';
import { reasonList, standing } from './lifts.js';
import { LIMITS } from './limits.js';
import { at, facts, failure, foreign, freshness, head, section, shortId, ticking } from './parts.js';
import { actionWord } from './record.js';
import { Source } from './source.js';
import { badge, isUnfinished } from './states.js';
import { table } from './table.js';
import { View } from './view.js';
import { count, duration, number } from './words.js';

/** @returns {Promise<() => void>} Ends the screen. */
export async function show(main, app) {
  const { id } = app.parameters;
  const [top, below] = [h('div'), h('div')];
  main.replaceChildren(top, below);
  const ask = async () => {
    const job = await app.api.get(`jobs/${segment(id)}`);
    const explanation = isUnfinished(job.state) ? await app.api.get(`jobs/${segment(id)}/explanation`) : null;
    return { job, explanation };
  };
  const pause = () => (source.value && !isUnfinished(source.value.job.state) ? null : LIMITS.jobPause);
  const source = new Source(ask, { draw: () => draw(), pause });
  const content = contentButtons(app, id);
  const views = [
    new View(top, () => body(app, id, source)),
    new View(below, () =>
      source.value ? section('Payload and result', 'content', content.render(source.value.job)) : null,
    ),
  ];
  const draw = () => {
    for (const view of views) view.draw();
  };
  content.onChange(draw);
  const off = app.live.on('events', (events) => {
    if (events.some((event) => event.job === id)) source.refreshSoon(LIMITS.eventPause);
  });
  source.refresh();
  return () => {
    off();
    source.end();
    for (const view of views) view.end();
  };
}

function body(app, id, source) {
  if (!source.value) return [head(['Job ', shortId(id)]), freshness(source)];
  const { job, explanation } = source.value;
  return [
    head(
      [foreign(job.kind), ' ', h('span', { class: 'soft' }, `#${number(job.number)}`)],
      h(
        'div',
        { class: 'acts' },
        jobButtons(app, job, () => source.refresh()),
      ),
      h('div', { class: 'beside' }, freshness(source)),
    ),
    h(
      'section',
      { class: 'why-it-waits', 'aria-labelledby': 'standing', key: 'standing' },
      h('h2', { id: 'standing' }, standing(job)),
      job.progress ? progress(job.progress) : null,
      explanation ? reasonList(app, job, explanation) : outcome(app, job),
    ),
    section('The job', 'facts', jobFacts(app, job)),
    section('Attempts', 'attempts', attempts(app, job)),
    job.actions?.length > 0 ? section('Actions of operators', 'actions', operatorActions(job)) : null,
    job.led_to?.length > 0
      ? section(
          'Jobs that rules made of it',
          'led-to',
          h(
            'ul',
            null,
            job.led_to.map((one) =>
              h('li', { key: one }, app.link(`/jobs/${segment(one)}`, h('span', { class: 'id' }, one))),
            ),
          ),
        )
      : null,
  ];
}

function progress({ fraction, text }) {
  return h(
    'p',
    null,
    h('progress', { max: 1, value: fraction, 'aria-label': 'Progress' }),
    ` ${Math.round(fraction * 100)} % `,
    text ? foreign(text) : null,
  );
}

function outcome(app, job) {
  return [
    job.error
      ? h('p', { class: 'reason' }, h('strong', null, foreign(job.error.error)), ': ', foreign(job.error.message))
      : null,
    h(
      'p',
      { class: 'soft' },
      'Ended ',
      at(job.finished_ms),
      ', ',
      ticking('ago', job.finished_ms),
      Number.isFinite(job.run_ms) ? `, after a run of ${duration(job.run_ms)}` : null,
      '.',
    ),
    job.replayed_as
      ? h(
          'p',
          null,
          'It was submitted again as ',
          app.link(`/jobs/${segment(job.replayed_as)}`, shortId(job.replayed_as)),
          '.',
        )
      : null,
    job.dropped ? h('p', null, 'It was dropped: nothing is to be done about it.') : null,
    job.handled ? h('p', null, 'Its plan was ready for the failure: nothing is to be done about it.') : null,
  ];
}

function jobFacts(app, job) {
  return facts([
    ['Id', h('span', { class: 'id' }, job.id)],
    ['Department', departmentLink(app, job.department)],
    ['Priority', number(job.priority)],
    ['Rank', Number.isFinite(job.rank) ? number(job.rank) : null],
    ['Key', job.key ? app.link('/keys', foreign(job.key), { kind: job.kind, key: job.key }) : null],
    ['Plan', job.plan ? app.link('/jobs', shortId(job.plan), { plan: job.plan }) : null],
    [
      'Step',
      job.step
        ? [foreign(job.step), job.round > 1 ? `, round ${job.round}` : job.round === 0 ? ', an event' : null]
        : null,
    ],
    ['Attempt', `${number(job.attempt)} of ${number(job.attempts)}`],
    ['Deaths of workers', job.deaths ? number(job.deaths) : null],
    ['Time limit', Number.isFinite(job.timeout_ms) ? duration(job.timeout_ms) : null],
    ['Not before', moment(job.not_before_ms)],
    ['Start by', moment(job.start_by_ms)],
    ['Submitted', moment(job.submitted_ms)],
    ['Accepted', moment(job.accepted_ms)],
    ['Released', moment(job.released_ms)],
    ['Started', moment(job.started_ms)],
    ['Finished', moment(job.finished_ms)],
    ['Waited', Number.isFinite(job.wait_ms) ? duration(job.wait_ms) : null],
    ['Replay of', job.again_of ? app.link(`/jobs/${segment(job.again_of)}`, shortId(job.again_of)) : null],
    [
      'Made by the rule',
      job.rule ? [foreign(job.rule), job.rule_event ? ` of the event ${job.rule_event}` : null] : null,
    ],
    ['Because of', job.cause ? app.link(`/jobs/${segment(job.cause)}`, shortId(job.cause)) : null],
  ]);
}

function moment(ms) {
  return Number.isFinite(ms) ? at(ms) : null;
}

function attempts(app, job) {
  const { run } = job;
  const present = run ? [{ ...run, number: run.attempt, result: 'running' }] : [];
  const made = [...(job.attempts_made ?? []), ...present];
  return table({
    caption: count(made.length, 'attempt'),
    items: made,
    key: (attempt) => `attempt ${attempt.number} ${attempt.result}`,
    limit: LIMITS.listRows,
    empty: 'No attempt has begun.',
    columns: [
      { title: 'Attempt', isHeader: true, className: 'number', cell: (attempt) => number(attempt.number) },
      { title: 'End', cell: (attempt) => badge(attempt.result) },
      { title: 'Started', cell: (attempt) => at(attempt.started_ms) },
      { title: 'Ended', cell: (attempt) => at(attempt.ended_ms) },
      { title: 'Worker', cell: (attempt) => workerOf(app, attempt) },
      { title: 'Error', cell: (attempt) => failure(attempt.error) },
    ],
  });
}

/** The name that a worker has everywhere; of one that is gone the short id. */
function workerOf(app, { worker, worker_name: name }) {
  if (!worker) return '–';
  return name ? app.link('/workers', foreign(name), {}, { title: worker }) : shortId(worker);
}

function operatorActions(job) {
  return table({
    caption: 'Actions of operators',
    items: job.actions,
    key: (action) => `action ${action.number}`,
    limit: LIMITS.listRows,
    empty: '',
    columns: [
      { title: 'Action', isHeader: true, cell: (action) => foreign(actionWord(action)) },
      { title: 'By', cell: (action) => foreign(action.by ?? action.user ?? '–') },
      { title: 'Broker user', cell: (action) => foreign(action.user ?? '–') },
      { title: 'Asked for', cell: (action) => foreign(action.detail ?? '–') },
      { title: 'At', cell: (action) => at(action.at_ms) },
    ],
  });
}
