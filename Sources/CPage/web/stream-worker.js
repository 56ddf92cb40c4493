/**
 * One stream for all windows of a browser: it runs beside them, and hands each of them every message. A browser has few
 * connections to one address, and a stream for each window would leave none for anything else.
 */

const limits = {
  /** Departments whose rows one stream has: the server takes no more. Those of the windows that came last count. */
  departments: 16,
  /** Messages of events that are kept for windows that were hidden. */
  kept: 500,
  /**
   * A window that has been silent for this long, in milliseconds, is dropped until it speaks again. A visible window
   * speaks every few seconds, unless its machine sleeps or a dialog of the browser holds it up.
   */
  silence: 30_000,
  /**
   * A stream without a message for this long is opened again: a connection can die without an error. Each further
   * attempt gets twice as much time, up to the longest. Windows wait a little longer before they call the stream slow.
   */
  patience: 4_000,
  longestPatience: 20_000,
  /** How often both are checked. */
  check: 1_000,
};
const names = ['picture', 'board', 'events', 'skipped', 'state', 'beat'];

/** Whether a place in the events, such as `3/4812`, is behind another one, or the same. */
function isBehind(place, other) {
  const [[epoch, seq], [otherEpoch, otherSeq]] = [place, other].map((one) => one.split('/').map(Number));
  return epoch === otherEpoch && seq >= otherSeq;
}

/** The windows, and the stream that they share. */
class Hub {
  /** Port → the departments whose rows it shows, and when it was heard, by `performance.now()`. */
  #windows = new Map();
  #address = null;
  #source = null;
  /** When the stream was last opened, sent a message or reported an error, by `performance.now()`. */
  #heard = 0;
  #patience = limits.patience;
  #isBroken = false;
  /** The departments that the stream was opened with. */
  #asked = null;
  /** The last place in the events that was heard; before that, the one that the stream was opened behind. */
  #place = null;
  /** Every event behind this place is kept; null: none is. */
  #floor = null;
  #kept = [];
  /** The newest board and the newest state, as they came: JSON. Null: what is known may no longer be so. */
  #board = null;
  #state = null;

  constructor() {
    setInterval(() => this.#check(), limits.check);
  }

  /** A window wants the stream, is still there, or goes. One that was dropped comes back with the next thing it says. */
  hear(port, message) {
    if (message.word === 'close') return this.#leave(port);
    const known = this.#windows.get(port);
    if (message.word === 'here' && known) known.heard = performance.now();
    else this.#join(port, message);
  }

  #join(port, { address, departments, after }) {
    // The last one stands last.
    this.#windows.delete(port);
    this.#windows.set(port, { departments, heard: performance.now() });
    const hasAll = after === null || (this.#floor !== null && isBehind(after, this.#floor));
    const goesOn = this.#source !== null && this.#wanted() === this.#asked;
    if (hasAll) this.#catchUp(port, after, goesOn);
    if (hasAll && goesOn) return;
    // Without a state there is no picture for a new window yet: the server sends one to those that name no place.
    this.#open(address, this.#state === null && after === null ? null : hasAll ? this.#place : after);
  }

  #leave(port) {
    this.#windows.delete(port);
    if (this.#windows.size > 0) return;
    this.#close();
    this.#forgetPresent();
  }

  #check() {
    const now = performance.now();
    for (const [port, { heard }] of this.#windows) if (now - heard > limits.silence) this.#leave(port);
    if (this.#source !== null && now - this.#heard > this.#patience) this.#openAgain();
  }

  #openAgain() {
    this.#forgetPresent();
    this.#patience = Math.min(2 * this.#patience, limits.longestPatience);
    this.#open(this.#address, this.#place);
  }

  /** A window that comes now must not take the last board and state for those of now. */
  #forgetPresent() {
    [this.#board, this.#state] = [null, null];
  }

  #wanted() {
    const all = [...this.#windows.values()].reverse().flatMap((one) => one.departments);
    return JSON.stringify([...new Set(all)].slice(0, limits.departments).sort());
  }

  #open(address, after) {
    this.#close();
    [this.#address, this.#asked, this.#heard] = [address, this.#wanted(), performance.now()];
    if (after !== this.#place || after === null) [this.#place, this.#floor, this.#kept] = [after, after, []];
    const query = new URLSearchParams(JSON.parse(this.#asked).map((name) => ['department', name]));
    if (after !== null) query.set('after', after);
    const text = query.toString();
    this.#source = new EventSource(text ? `${address}?${text}` : address);
    for (const name of names) this.#source.addEventListener(name, (event) => this.#take(name, event));
    this.#source.addEventListener('error', () => this.#tellBroken());
  }

  #close() {
    this.#source?.close();
    [this.#source, this.#isBroken] = [null, false];
  }

  #take(name, { data, lastEventId }) {
    [this.#isBroken, this.#heard, this.#patience] = [false, performance.now(), limits.patience];
    const id = lastEventId || null;
    if (id) this.#place = id;
    if (name === 'picture') this.#takePicture(data, id);
    if (name === 'board') this.#board = data;
    if (name === 'state') this.#state = data;
    if (name === 'events') this.#keep(data, id);
    if (name === 'skipped') [this.#floor, this.#kept] = [null, []];
    for (const port of this.#windows.keys()) port.postMessage({ name, data, id, hasRows: true });
  }

  #takePicture(data, id) {
    const { state, board } = JSON.parse(data);
    this.#state = JSON.stringify(state);
    this.#board = board ? JSON.stringify(board) : null;
    [this.#floor, this.#kept] = [id, []];
  }

  #keep(data, id) {
    this.#kept.push({ data, id: id ?? this.#place });
    if (this.#kept.length <= limits.kept) return;
    const oldest = this.#kept.shift();
    if (this.#floor !== null) this.#floor = oldest.id;
  }

  /** A window that comes gets what a new stream would tell it. `hasRows`: the newest board has the rows that it wants. */
  #catchUp(port, after, hasRows) {
    const tell = (name, data, id) => port.postMessage({ name, data, id, hasRows });
    const missed = after === null ? [] : this.#kept.filter(({ id }) => id !== null && !isBehind(after, id));
    for (const { data, id } of missed) tell('events', data, id);
    if (this.#isBroken) port.postMessage({ name: 'broken', isClosed: false });
    if (this.#state === null) return;
    if (after === null) {
      tell('picture', `{"state":${this.#state},"board":${this.#board ?? 'null'}}`, this.#place);
    } else {
      tell('state', this.#state, null);
      if (this.#board !== null && hasRows) tell('board', this.#board, null);
    }
  }

  // The browser itself connects again, unless the server has refused.
  #tellBroken() {
    const isClosed = this.#source?.readyState === EventSource.CLOSED;
    [this.#isBroken, this.#heard] = [true, performance.now()];
    this.#forgetPresent();
    if (isClosed) this.#source = null;
    for (const port of this.#windows.keys()) port.postMessage({ name: 'broken', isClosed });
  }
}

const hub = new Hub();
addEventListener('connect', ({ ports: [port] }) => {
  port.onmessage = ({ data }) => hub.hear(port, data);
});
