/** The tellers of a department as a Gantt chart of the last minutes, with the ideal beside it. */

import { clock } from './clock.js';
import { h, s } from './dom.js';
import { inFrame, View } from './view.js';
import { LIMITS } from './limits.js';
import { busyTimes, ideal, lanes } from './packing.js';
import { age, count, duration, moment, number, permille } from './words.js';

const [laneHeight, laneGap, axisHeight] = [13, 3, 18];
const [widePage, gap] = [740, 40];
const spans = [30_000, 60_000, 120_000, LIMITS.ganttTime];
const ends = new Set(['succeeded', 'failed', 'cancelled', 'attempt_failed']);

/** One chart. It learns of runs from events, from the list of those that run, and from jobs that ended before. */
export class Gantt {
  /** The element of the chart. */
  element = h('div', { class: 'gantt' });

  #ended = new Map();
  #running = [];
  #tellers = 0;
  #drawnAt = 0;
  #timer = null;
  #width = 600;
  #view = new View(this.element, () => this.#render());
  #observer = new ResizeObserver(([entry]) => {
    this.#width = chartWidth(entry.contentRect.width);
    this.#view.draw();
  });

  constructor() {
    this.#observer.observe(this.element);
    // Time goes on also when nothing happens.
    this.#timer = setInterval(() => this.#view.draw(), 1000);
  }

  /** Takes events of the department. */
  addEvents(events) {
    for (const event of events) {
      if (!ends.has(event.event) || !Number.isFinite(event.run_ms)) continue;
      const { job, attempt, at_ms: end, run_ms: took, event: name, kind } = event;
      // An event names no worker: it is known if the run was seen while it went on.
      const worker = this.#running.find((run) => run.job === job && run.attempt === attempt)?.worker ?? null;
      this.#add({ job, attempt, start: end - took, end, event: name, kind, worker });
    }
    this.#draw();
  }

  /** Takes jobs that ended before the page looked. */
  addJobs(jobs) {
    for (const job of jobs) {
      if (!Number.isFinite(job.started_ms) || !Number.isFinite(job.finished_ms)) continue;
      const { id, attempt, started_ms: started, finished_ms: end, state, kind } = job;
      const start = end - (job.run_ms ?? end - started);
      this.#add({ job: id, attempt, start, end, event: state, kind, worker: null });
    }
    this.#draw();
  }

  /** Takes those that run now. */
  setRunning(rows, tellers) {
    this.#tellers = tellers;
    this.#running = rows
      .filter((row) => Number.isFinite(row.started_ms))
      .map((row) => ({
        job: row.job,
        attempt: row.attempt,
        start: row.started_ms,
        end: null,
        event: 'running',
        kind: row.kind,
        worker: row.worker_name ?? row.worker ?? null,
      }));
    this.#draw();
  }

  end() {
    clearInterval(this.#timer);
    this.#observer.disconnect();
    this.#view.end();
  }

  #add(run) {
    this.#ended.set(`${run.job} ${run.attempt}`, run);
    // A map keeps the order of its members: the first one is the oldest.
    while (this.#ended.size > LIMITS.ganttRuns) this.#ended.delete(this.#ended.keys().next().value);
  }

  #draw() {
    if (performance.now() - this.#drawnAt >= LIMITS.ganttPause) inFrame(() => this.#view.draw());
  }

  #runs(now) {
    const first = now - LIMITS.ganttTime;
    for (const [key, run] of this.#ended) if (run.end < first) this.#ended.delete(key);
    const running = this.#running.filter((run) => !this.#ended.has(`${run.job} ${run.attempt}`));
    return [...this.#ended.values(), ...running.map((run) => ({ ...run, end: Math.max(run.start, now) }))]
      .filter((run) => run.end >= first)
      .map((run) => ({ ...run, start: Math.max(run.start, first) }));
  }

  #render() {
    this.#drawnAt = performance.now();
    const now = clock.now();
    const runs = this.#runs(now);
    if (runs.length === 0) return h('p', { class: 'empty' }, `Nothing has run in the last ${age(LIMITS.ganttTime)}.`);
    const tellers = Math.max(1, this.#tellers, this.#running.length);
    const placed = lanes(runs, tellers);
    const best = ideal(runs, tellers);
    const begin = Math.min(...runs.map((run) => run.start));
    const span = spans.find((one) => one >= now - begin) ?? LIMITS.ganttTime;
    const scale = { from: now - span, span, width: this.#width, now };
    const words = summary(runs, tellers, best, begin);
    return [
      h('div', null, h('h3', { class: 'charttitle' }, 'As it was'), chart(placed, tellers, scale, words)),
      h(
        'div',
        null,
        h('h3', { class: 'charttitle' }, 'Ideal: the same runs without gaps'),
        chart(best.bars, tellers, scale, `The ideal: ${duration(best.length)}`),
      ),
      h('p', { class: 'soft' }, words),
      legend(),
      tellers > LIMITS.ganttLanes
        ? h('p', { class: 'more' }, `${number(tellers - LIMITS.ganttLanes)} more tellers are not shown.`)
        : null,
    ];
  }
}

/** What the colours mean. */
function legend() {
  const box = (event) => s('svg', { 'aria-hidden': 'true' }, s('rect', { class: `run ${event}`, width: 12, height: 10 }));
  const words = { running: 'running', succeeded: 'succeeded', failed: 'failed', cancelled: 'cancelled' };
  return h(
    'p',
    { class: 'legend' },
    Object.entries(words).map(([event, word]) => h('span', null, box(event), word)),
  );
}

/** On a wide screen the two charts stand beside each other. */
function chartWidth(width) {
  return Math.max(200, Math.floor(width > widePage ? (width - gap) / 2 : width));
}

function summary(runs, tellers, best, begin) {
  const took = Math.max(...runs.map((run) => run.end)) - begin;
  const { worked } = busyTimes(runs);
  // With runs that are shorter than a pack of reports the ratio would say nothing.
  const ratio = took >= best.length && best.length > 0 ? `, ratio ${(took / best.length).toFixed(2)}` : '';
  return `${count(runs.length, 'run')} on ${count(tellers, 'teller')} took ${duration(took)}; without gaps ${duration(
    best.length,
  )}${ratio}. The tellers were busy ${permille(Math.min(1000, (1000 * worked) / Math.max(1, took * tellers)))} of the time.`;
}

function chart(bars, laneCount, { from, span, width, now }, label) {
  const shownLanes = Math.min(laneCount, LIMITS.ganttLanes);
  const height = shownLanes * (laneHeight + laneGap) + axisHeight;
  const x = (ms) => ((ms - from) / span) * width;
  const rows = Array.from({ length: shownLanes }, (_, lane) =>
    s(
      'rect',
      { class: 'lane', x: 0, y: lane * (laneHeight + laneGap), width, height: laneHeight, key: `lane ${lane}` },
      s('title', null, laneWords(bars, lane)),
    ),
  );
  const boxes = bars
    .filter((bar) => bar.lane < LIMITS.ganttLanes)
    .map(({ run, lane, start, end }) =>
      s(
        'rect',
        {
          class: `run ${run.event}`,
          x: x(start).toFixed(1),
          y: lane * (laneHeight + laneGap),
          rx: 1.5,
          width: Math.max(1, x(end) - x(start) - 0.5).toFixed(1),
          height: laneHeight,
          key: `${run.job} ${run.attempt}`,
        },
        s('title', null, `${run.kind}${run.worker ? `, ${nameOf(run.worker)}` : ''}: ${duration(end - start)}`),
      ),
    );
  return s(
    'svg',
    { role: 'img', 'aria-label': label, viewBox: `0 0 ${width} ${height}`, width, height },
    rows,
    boxes,
    axis(from, span, width, now, height),
  );
}

/** Whose lane it is, as far as that is known: a lane takes the runs of one worker, where it can. */
function laneWords(bars, lane) {
  const known = bars.filter((bar) => bar.lane === lane && bar.run.worker).map((bar) => nameOf(bar.run.worker));
  const names = [...new Set(known)].slice(0, LIMITS.laneNames);
  return `Teller ${number(lane + 1)}${names.length > 0 ? `: ${names.join(', ')}` : ''}`;
}

/** A worker may have any name. */
function nameOf(worker) {
  return worker.length > LIMITS.nameInChart ? `${worker.slice(0, LIMITS.nameInChart)}…` : worker;
}

function axis(from, span, width, now, height) {
  const step = span / 6;
  return Array.from({ length: 7 }, (_, index) => {
    const ms = from + index * step;
    const anchor = index === 0 ? 'start' : index === 6 ? 'end' : 'middle';
    const text = index === 6 ? moment(now) : width < 540 && index % 2 === 1 ? '' : `−${age(now - ms)}`;
    return s(
      'text',
      { class: 'tick', x: ((index * step) / span) * width, y: height - 4, 'text-anchor': anchor, key: `tick ${index}` },
      text,
    );
  });
}
