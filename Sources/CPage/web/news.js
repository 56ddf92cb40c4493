/** Shows a notice when the connection changes, and for events that the reader may want to know at once. */

import { LIMITS } from './limits.js';
import { count } from './words.js';

const stateNews = {
  connected: ['Connected.', 'good'],
  slow: ['Slow.', 'warn'],
  lost: ['Connection lost.', 'bad'],
};

/** By the event's name: the words, and the tone. */
const eventNews = {
  paused: (event) => [`${event.department} is paused.`, 'warn'],
  resumed: (event) => [`${event.department} goes on.`, 'good'],
  passed_over: (event) => [`Plan ${event.plan}: the optional step ${event.name} was passed over.`, 'warn'],
  went_back: (event) => [`Plan ${event.plan} went back: earlier steps run again.`, 'warn'],
  event_announced: (event) => [`Plan ${event.plan}: the event ${event.name} waits for somebody to accept it.`, 'warn'],
  parked: () => ['A message was rejected.', 'warn'],
  rule_failed: (event) => [`The rule ${event.name} could not make its job.`, 'bad'],
};

const planNews = {
  succeeded: (event) => [`Plan ${event.plan ?? event.job} is open.`, 'good'],
  failed: (event) => [`Plan ${event.plan ?? event.job} has failed.`, 'bad'],
  cancelled: (event) => [`Plan ${event.plan ?? event.job} was stopped.`, 'warn'],
};

/** Shows the notices. Failed jobs are counted for a while, and reported together. */
export class News {
  #app;
  #failed = 0;
  #timer = null;
  /** The state of the connection that was reported last, with its reason where that matters; null: none was. */
  #reported = null;

  constructor(app) {
    this.#app = app;
  }

  start() {
    this.#app.live.on('state', (state) => this.#reportState(state));
    this.#app.live.on('events', (events) => this.#reportEvents(events));
  }

  #reportState({ state, reason }) {
    // While the state is `slow`, a new reason deserves another notice: it may turn out that the broker is the cause, and
    // not the coordinator.
    const news = state === 'slow' ? `${state} ${reason}` : state;
    if (news === this.#reported) return;
    const isFirst = this.#reported === null;
    this.#reported = news;
    // That a page connects when it is opened is expected.
    if (isFirst && state === 'connected') return;
    const [text, tone] = stateNews[state] ?? [state, 'plain'];
    this.#app.notice.tellStanding('connection', state === 'connected' ? text : `${text} ${reason}`, tone);
  }

  #reportEvents(events) {
    // Of many events in one frame, only the last ones get a notice.
    const news = events
      .map((event) => this.#words(event))
      .filter(Boolean)
      .slice(-LIMITS.notices);
    for (const [text, tone] of news) this.#app.notice.tell(text, tone);
    this.#failed += events.filter((event) => event.event === 'failed' && event.kind !== 'plan').length;
    if (this.#failed > 0 && this.#timer === null) this.#reportFailures();
  }

  #words(event) {
    return (event.kind === 'plan' ? planNews[event.event] : eventNews[event.event])?.(event) ?? null;
  }

  #reportFailures() {
    this.#app.notice.tell(`${count(this.#failed, 'job')} failed.`, 'bad');
    this.#failed = 0;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#failed > 0) this.#reportFailures();
    }, LIMITS.failureNoticePause);
  }
}
