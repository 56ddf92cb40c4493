/** Which changes are told by a notice: those of the connection, and those that somebody may want to know at once. */

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

/** Tells the news. Failed jobs are counted for a while, and told together. */
export class News {
  #app;
  #failed = 0;
  #timer = null;
  #told = null;

  constructor(app) {
    this.#app = app;
  }

  start() {
    this.#app.live.on('state', (state) => this.#tellState(state));
    this.#app.live.on('events', (events) => this.#tellEvents(events));
  }

  // The first connection is no news.
  #tellState({ state, reason }) {
    // The reason may change: first the coordinator seems slow, then it turns out to be the broker.
    const news = state === 'slow' ? `${state} ${reason}` : state;
    if (news === this.#told) return;
    const isFirst = this.#told === null;
    this.#told = news;
    if (isFirst && state === 'connected') return;
    const [text, tone] = stateNews[state] ?? [state, 'plain'];
    this.#app.notice.tellStanding('connection', state === 'connected' ? text : `${text} ${reason}`, tone);
  }

  #tellEvents(events) {
    // A flood of news is no news: the last ones of a frame are told.
    const news = events
      .map((event) => this.#words(event))
      .filter(Boolean)
      .slice(-LIMITS.notices);
    for (const [text, tone] of news) this.#app.notice.tell(text, tone);
    this.#failed += events.filter((event) => event.event === 'failed' && event.kind !== 'plan').length;
    if (this.#failed > 0 && this.#timer === null) this.#tellFailures();
  }

  #words(event) {
    return (event.kind === 'plan' ? planNews[event.event] : eventNews[event.event])?.(event) ?? null;
  }

  #tellFailures() {
    this.#app.notice.tell(`${count(this.#failed, 'job')} failed.`, 'bad');
    this.#failed = 0;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#failed > 0) this.#tellFailures();
    }, LIMITS.failureNoticePause);
  }
}
