/** A day at the bank: when it began, and when it ended. */

/** In this browser the last reset is kept under this name. */
const place = 'teller.bank.reset';

/**
 * A day: from the moment that somebody waits until nobody waits or is served any more. Its times are the coordinator's.
 * Several departments are busy at once; the day has ended when all of them have.
 */
export class Day {
  /** When the day began; null: it has not, or it was reset. */
  since = null;
  /** When it ended; null: it goes on. */
  until = null;
  /** When everything was set back to zero; 0: never. */
  reset;

  /** Until when the reset went on: whoever was served by then is being cancelled. */
  #resetUntil = 0;
  #departments;

  constructor(departments) {
    this.#departments = departments;
    this.reset = readReset();
  }

  get isOpen() {
    return this.since !== null && this.until === null;
  }

  /** How long it has lasted, at a moment of the coordinator's clock. */
  length(nowMs) {
    return this.since === null ? 0 : Math.max(0, (this.until ?? nowMs) - this.since);
  }

  /** Takes over what the board says. Returns `began`, `ended`, or null. */
  take(board) {
    // Everything is zero when nothing of the reset runs any more, and not before.
    if (board.operations.some((one) => one.action === 'reset')) return null;
    if (board.last_reset) this.setBack(board.last_reset);
    const own = board.departments.filter((one) => this.#departments.includes(one.status.name));
    const busy = own.filter((one) => Number.isFinite(one.busy_since_ms));
    if (busy.length > 0) return this.#goOn(Math.min(...busy.map((one) => this.#beginning(one))));
    const last = own.filter((one) => one.last_busy_since_ms > this.reset);
    if (this.isOpen) return this.#finish(Math.max(this.since, ...last.map((one) => one.last_busy_until_ms)));
    if (this.since === null) this.#recall(last);
    return null;
  }

  /**
   * Sets everything back to zero after a reset that is over. What began before it does not count.
   * @returns {boolean} Whether the reset is new here.
   */
  setBack({ started_ms: startedMs, finished_ms: finishedMs }) {
    if (startedMs <= this.reset) return false;
    this.reset = startedMs;
    this.#resetUntil = finishedMs;
    keepReset(startedMs);
    [this.since, this.until] = [null, null];
    return true;
  }

  // Customers who came after a reset may still meet some of before: then the day begins with the first of the new ones.
  #beginning({ busy_since_ms: since, waiting = [], running = [] }) {
    if (since > this.reset) return since;
    const later = [
      ...waiting.map((row) => row.since_ms),
      ...running.map((row) => row.started_ms).filter((ms) => ms > this.#resetUntil),
    ];
    return Math.min(...later.filter((ms) => ms > this.reset));
  }

  // Infinity: all that is there is of the time before the reset, and is being cancelled.
  #goOn(since) {
    if (since === Infinity) return null;
    if (this.isOpen) {
      this.since = Math.min(this.since, since);
      return null;
    }
    [this.since, this.until] = [since, null];
    return 'began';
  }

  #finish(until) {
    this.until = until;
    return 'ended';
  }

  // The last day has ended before this browser looked. Of several departments the last one to end tells which it was.
  #recall(last) {
    if (last.length === 0) return;
    this.until = Math.max(...last.map((one) => one.last_busy_until_ms));
    this.since = this.until;
    for (const one of [...last].sort((first, second) => second.last_busy_until_ms - first.last_busy_until_ms)) {
      if (one.last_busy_until_ms >= this.since) this.since = Math.min(this.since, one.last_busy_since_ms);
    }
  }
}

// A browser may refuse to keep anything: then a reset is known as long as the screen is shown.
function readReset() {
  try {
    return Number(localStorage.getItem(place) ?? 0);
  } catch {
    return 0;
  }
}

function keepReset(atMs) {
  try {
    localStorage.setItem(place, String(atMs));
  } catch {
    /* Nothing is kept. */
  }
}
