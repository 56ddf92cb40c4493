/** The coordinator's clock. The browser only ticks: its own clock may be wrong. */

import { setText } from './dom.js';
import { inFrame } from './view.js';
import { age } from './words.js';

/** A larger difference is no delay on the way: one of the clocks was set. */
const largestDelay = 2_000;

class CoordinatorClock {
  #offset = null;

  /** Takes over the coordinator's time from something that has just come. */
  hear(atMs) {
    const heard = atMs - performance.now();
    // The message that was on its way for the shortest time tells the time best.
    const isSet = this.#offset === null || Math.abs(heard - this.#offset) > largestDelay;
    this.#offset = isSet ? heard : Math.max(this.#offset, heard);
  }

  /** Milliseconds since 1970. Before the coordinator was heard, by the browser's clock. */
  now() {
    return this.#offset === null ? Date.now() : performance.now() + this.#offset;
  }
}

/** The one clock of the page. */
export const clock = new CoordinatorClock();

/** How a duration since a moment, or until it, is written. */
const forms = {
  lasting: (ms) => age(clock.now() - ms),
  ago: (ms) => `${age(clock.now() - ms)} ago`,
  until: (ms) => (ms > clock.now() ? `in ${age(ms - clock.now())}` : 'now'),
};

/** The text of a moment in one of these forms: `lasting`, `ago`, `until`. */
export function tickingText(form, ms) {
  return forms[form](ms);
}

/** Keeps all elements with `data-tick` and `data-ms` right, once a second. */
export function startTicking() {
  const tick = () => {
    for (const element of document.querySelectorAll('[data-tick]')) {
      setText(element, tickingText(element.dataset.tick, Number(element.dataset.ms)));
    }
  };
  setInterval(() => inFrame(tick), 1000);
}
