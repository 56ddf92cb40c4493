/**
 * What has happened since the newest board, as far as events tell it. The board comes at most twice a second, and events come
 * at once: so a job leaves its list when it ends, and not half a second later.
 */

import { LIMITS } from './limits.js';

const ends = new Set(['succeeded', 'failed', 'cancelled']);

/**
 * Whether an event is beyond a place in the events. Times do not tell: a run ends before the coordinator hears of it.
 * @param {{epoch: number, seq: number}} event
 * @param {{epoch: number, seq: number}} place
 */
export function isAfter(event, place) {
  return event.epoch === place.epoch ? event.seq > place.seq : event.epoch > place.epoch;
}

/** The events since the newest board, by department and job. */
export class Since {
  /** Department → job → the last event about it. */
  #departments = new Map();
  #count = 0;
  #board = { at_ms: 0, epoch: 0, through: 0, counted: 0 };

  /** Takes events. Those that the board has already are passed over. Returns whether one of them counts. */
  hear(events) {
    const before = this.#count;
    for (const event of events) {
      const isKnown = event.job && event.department && (ends.has(event.event) || event.event === 'started');
      if (isKnown && this.#isNew(event) && this.#count < LIMITS.bufferedEvents) this.#add(event);
    }
    return this.#count > before;
  }

  #add(event) {
    const jobs = this.#departments.get(event.department) ?? new Map();
    this.#departments.set(event.department, jobs);
    const last = jobs.get(event.job);
    // A beginning comes on a way of its own, and may come after the end. A job that has ended does not run any more.
    if (last && ends.has(last.event) && event.event === 'started') return;
    if (!last) this.#count += 1;
    jobs.set(event.job, event);
  }

  /** Forgets what a new board has. */
  seeBoard(board) {
    this.#board = board;
    for (const [name, jobs] of this.#departments) {
      for (const [job, event] of jobs) {
        if (this.#isNew(event)) continue;
        jobs.delete(job);
        this.#count -= 1;
      }
      if (jobs.size === 0) this.#departments.delete(name);
    }
  }

  // A beginning has no place: it is not recorded. One of the same millisecond may be in the board or not, and counts.
  #isNew(event) {
    const { at_ms: at, epoch, through } = this.#board;
    return ends.has(event.event) ? isAfter(event, { epoch, seq: through }) : event.at_ms >= at;
  }

  /** The department of the board as it is now. */
  correct(department) {
    const jobs = this.#departments.get(department.status.name);
    if (!jobs) return department;
    const now = {
      ...department,
      status: { ...department.status },
      waiting: [...(department.waiting ?? [])],
      running: [...(department.running ?? [])],
    };
    const counted = { epoch: this.#board.epoch, seq: this.#board.counted };
    for (const event of jobs.values()) {
      if (event.event === 'started') start(now, event);
      else if (isAfter(event, counted)) end(now, event);
      // The numbers have it. Of the rows, those of held jobs are a moment older.
      else take(now.waiting, event.job);
    }
    return now;
  }
}

function end({ status, waiting, running }, { job, event }) {
  if (take(running, job)) status.running -= 1;
  else leave(status, take(waiting, job));
  status[event] += 1;
  // Whether a plan was ready for it, the next board says.
  if (event === 'failed') status.unsettled += 1;
}

function start({ status, waiting, running }, { job, attempt, at_ms: at }) {
  const row = take(waiting, job);
  if (!row) return;
  leave(status, row);
  status.running += 1;
  const { number, kind, priority, key, step } = row;
  running.push({ job, number, kind, priority, key, step, attempt, started_ms: at });
}

/** A job that was waiting no longer does. Beyond the rows of the board nothing tells whether it was held. */
function leave(status, row) {
  const from = row && !row.released ? 'held' : status.queued > 0 ? 'queued' : status.running > 0 ? 'running' : 'held';
  status[from] = Math.max(0, status[from] - 1);
}

function take(rows, job) {
  const index = rows.findIndex((row) => row.job === job);
  return index < 0 ? null : rows.splice(index, 1)[0];
}
