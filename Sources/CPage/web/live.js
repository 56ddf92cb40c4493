/**
 * The live stream: the newest board, the events since the last frame, and how the connection stands.
 * A hidden tab has no stream. It goes on behind the last event that it has heard.
 */

import { clock } from './clock.js';
import { LIMITS } from './limits.js';
import { isAfter, Since } from './since.js';
import { Stream } from './stream.js';
import { inFrame } from './view.js';
import { sentence } from './words.js';

const UNREACHABLE = 'The page cannot be reached. It is tried again and again.';

const departmentPattern = /^[A-Za-z0-9_-]{1,100}$/;

/** The one reader of `api/live` in this window. */
export class Live {
  /** The newest board; null: none has come. */
  board = null;
  /** When that board came, by `performance.now()`. */
  heardAt = null;
  /** How the connection stands: `state` is `connecting`, `connected`, `slow` or `lost`. */
  state = { state: 'connecting', reason: 'The page asks for the first picture.', since: performance.now() };
  /** Whether the board has the rows of the departments that are watched, or will never have them. */
  hasRows = false;
  /** How many events were not told, because too many came. */
  skipped = 0;

  #api;
  #onClosed;
  #listeners = { board: new Set(), events: new Set(), state: new Set() };
  #departments = [];
  #stream;
  #place = null;
  /** The last recorded event that was heard. */
  #last = null;
  #reported = null;
  #events = [];
  #hasBoard = false;
  #since = new Since();
  #silence = null;
  #reconnect = null;
  #pause = LIMITS.firstReconnect;
  #isStarted = false;
  #opening = null;
  #deliver = () => this.#deliverNow();

  /** @param {Api} api @param {() => void} onClosed - The server has refused the stream: perhaps the session is over. */
  constructor(api, onClosed) {
    this.#api = api;
    this.#onClosed = onClosed;
    this.#stream = new Stream(
      api.address('live'),
      (name, data, id, hasRows) => this.#read(name, data, id, hasRows),
      (isClosed) => this.#broken(isClosed),
    );
    document.addEventListener('visibilitychange', () => (document.hidden ? this.#close() : this.#openSoon()));
    addEventListener('pagehide', () => this.#close());
    addEventListener('pageshow', () => this.#openSoon());
  }

  /** Opens the stream, and keeps it open. */
  start() {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#openSoon();
  }

  /** Closes the stream: nobody is signed in. */
  stop() {
    this.#isStarted = false;
    this.#close();
  }

  /** Says of which departments the rows are wanted. A name that no department can have would be refused. */
  watch(departments) {
    const possible = departments.filter((name) => departmentPattern.test(name));
    if (String(possible) === String(this.#departments)) return;
    this.#departments = possible;
    this.hasRows = false;
    this.#openSoon();
  }

  /**
   * Calls a listener, at most once a frame: `board` with the board, `events` with a list, `state` with the state.
   * Returns a function that ends it.
   */
  on(name, listener) {
    this.#listeners[name].add(listener);
    return () => this.#listeners[name].delete(listener);
  }

  /** All departments as they are now: those of the newest board, with what has happened since. */
  get departments() {
    return (this.board?.departments ?? []).map((one) => this.#since.correct(one));
  }

  /** One of them. */
  department(name) {
    const found = this.board?.departments.find((one) => one.status.name === name);
    return found ? this.#since.correct(found) : null;
  }

  // Screens come and go in one turn: the stream is opened once, for the last of them.
  #openSoon() {
    if (!this.#isStarted || document.hidden || this.#opening) return;
    this.#opening = setTimeout(() => {
      this.#opening = null;
      this.#open();
    });
  }

  #open() {
    this.#close();
    if (!this.#isStarted || document.hidden) return;
    this.#stream.open({ departments: this.#departments, after: this.#place });
    this.#listenForSilence();
  }

  #takers = {
    picture: (data, hasRows) => this.#takePicture(data, hasRows),
    board: (data, hasRows) => this.#takeBoard(data, hasRows),
    events: (data) => this.#takeEvents(data),
    skipped: (data) => {
      this.skipped += data.events;
    },
    state: (data) => {
      this.#reported = data;
    },
    beat: () => {},
  };

  #close() {
    clearTimeout(this.#silence);
    clearTimeout(this.#reconnect);
    this.#stream.close();
  }

  #read(name, data, id, hasRows) {
    if (id) this.#place = id;
    this.#pause = LIMITS.firstReconnect;
    this.#takers[name](JSON.parse(data), hasRows);
    if (this.#reported) this.#change(this.#reported.state, sentence(this.#reported.reason));
    this.#listenForSilence();
    inFrame(this.#deliver);
  }

  #takePicture(picture, hasRows) {
    this.#reported = picture.state;
    // The coordinator may have said nothing yet.
    if (picture.board) this.#takeBoard(picture.board, hasRows);
  }

  #takeBoard(board, hasRows) {
    clock.hear(board.at_ms);
    this.board = board;
    this.hasRows = hasRows;
    this.#since.seeBoard(board);
    this.heardAt = performance.now();
    this.#hasBoard = true;
  }

  #takeEvents(all) {
    // Another window may have asked for events that this one has had.
    const events = all.filter((event) => !this.#isHeard(event));
    // The board is another one with them.
    if (this.#since.hear(events)) this.#hasBoard = this.board !== null;
    this.#events.push(...events);
    const excess = this.#events.length - LIMITS.bufferedEvents;
    if (excess > 0) {
      this.#events.splice(0, excess);
      this.skipped += excess;
    }
  }

  #isHeard({ epoch, seq }) {
    if (!Number.isFinite(seq)) return false;
    if (this.#last?.epoch === epoch && !isAfter({ epoch, seq }, this.#last)) return true;
    this.#last = { epoch, seq };
    return false;
  }

  #listenForSilence() {
    clearTimeout(this.#silence);
    clearTimeout(this.#reconnect);
    this.#silence = setTimeout(() => this.#takeSilence(), LIMITS.silence);
  }

  // The shared worker may have dropped this window, or may have ended. Or a connection has died without an error.
  #takeSilence() {
    // Since the last message it was opened again, and nothing came either.
    const isSecond = this.#pause > LIMITS.firstReconnect;
    if (isSecond && !this.#mayLackConnection) this.#change('lost', UNREACHABLE);
    else if (this.state.state !== 'lost') this.#change('slow', this.#silenceWords());
    this.#tryLater();
  }

  // A browser has few connections to one address.
  get #mayLackConnection() {
    return this.heardAt === null && !this.#stream.isShared;
  }

  #silenceWords() {
    const seconds = `Nothing has come for ${LIMITS.silence / 1000} seconds.`;
    return this.#mayLackConnection ? `${seconds} Perhaps too many windows of this page are open: close some.` : seconds;
  }

  /** Opens the stream again after a pause, which is twice as long each time until a message comes. */
  #tryLater() {
    this.#reconnect = setTimeout(() => {
      this.#stream.renew();
      this.#openSoon();
    }, this.#pause);
    this.#pause = Math.min(2 * this.#pause, LIMITS.longestReconnect);
  }

  // The browser itself connects again, unless the server has refused.
  #broken(isClosed) {
    this.#change('lost', UNREACHABLE);
    if (!isClosed) return this.#listenForSilence();
    this.#close();
    this.#onClosed();
    this.#tellRefusal();
    this.#tryLater();
  }

  // The browser does not say why a stream was refused. A question at the same address is refused likewise.
  async #tellRefusal() {
    const reason = await this.#api.refusal('live', { department: this.#departments, after: this.#place });
    if (reason !== null && !this.#stream.isOpen) this.#change('lost', reason);
  }

  #change(state, reason) {
    if (state === this.state.state && reason === this.state.reason) return;
    const since = state === this.state.state ? this.state.since : performance.now();
    this.state = { state, reason, since };
    for (const listener of this.#listeners.state) listener(this.state);
  }

  #deliverNow() {
    const events = this.#events;
    this.#events = [];
    if (events.length > 0) for (const listener of this.#listeners.events) listener(events);
    if (!this.#hasBoard) return;
    this.#hasBoard = false;
    for (const listener of this.#listeners.board) listener(this.board);
  }
}
