/** Something that was asked for and is shown: it is asked for again, and what is old is known to be old. */

import { drawAll } from './view.js';

/** The last answer to one question. */
export class Source {
  /** The last answer; null: none has come. */
  value = null;
  /** Why the last question failed; null: it did not. */
  error = null;
  /** When `value` came, by `performance.now()`. */
  at = null;
  /** Whether a question is open. */
  isBusy = false;

  #ask;
  #draw;
  #timer = null;
  /** When a wished question is due, by `performance.now()`; null: none is wished. */
  #due = null;
  #pause = null;
  #turn = 0;
  #isEnded = false;

  /**
   * @param {() => Promise<any>} ask
   * @param {{draw?: () => void, pause?: number|(() => number|null)}} options - `pause`: after how many milliseconds it
   *   is asked again; null: never by itself.
   */
  constructor(ask, { draw = drawAll, pause = null } = {}) {
    this.#ask = ask;
    this.#draw = draw;
    this.#pause = pause;
  }

  /** Asks now. A later question replaces one that is open. */
  async refresh() {
    if (this.#isEnded) return;
    clearTimeout(this.#timer);
    this.#due = null;
    this.#turn += 1;
    const turn = this.#turn;
    this.isBusy = true;
    this.#draw();
    try {
      const value = await this.#ask();
      if (turn !== this.#turn) return;
      [this.value, this.error, this.at] = [value, null, performance.now()];
    } catch (error) {
      if (turn !== this.#turn) return;
      this.error = error;
    }
    this.isBusy = false;
    this.#draw();
    this.#refreshLater();
  }

  /** Asks in a moment; several wishes in one moment are one question. A later wish does not put off an earlier one. */
  refreshSoon(milliseconds) {
    const due = performance.now() + milliseconds;
    if (this.#isEnded || (this.#due !== null && this.#due <= due)) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => this.refresh(), milliseconds);
  }

  /** Forgets the answer, and does not take that of an open question. */
  forget() {
    this.#turn += 1;
    [this.value, this.error, this.at, this.isBusy] = [null, null, null, false];
  }

  /** Asks no more. */
  end() {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.#isEnded = true;
  }

  #refreshLater() {
    const pause = typeof this.#pause === 'function' ? this.#pause() : this.#pause;
    // Somebody has wished for it while it was open.
    if (pause === null || this.#due !== null) return;
    // Nobody looks at a hidden tab: it asks when it is shown.
    const again = () => {
      if (!document.hidden) return this.refresh();
      document.addEventListener('visibilitychange', () => this.refreshSoon(0), { once: true });
    };
    this.#timer = setTimeout(again, pause);
  }
}
