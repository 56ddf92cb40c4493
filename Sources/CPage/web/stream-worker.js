/**
 * One stream for all windows of a browser: it runs beside them, and hands each of them every message. A browser has few
 * connections to one address, and a stream for each window would leave none for anything else.
 */

const limits = {
  /** Departments whose rows one stream has: the server takes no more. Those of the windows that came last count. */
  departments: 16,
  /** Messages of events that are kept for windows that were hidden. */
  kept: 500,
  /** A window that has said nothing for so long, in milliseconds, is gone. A visible one says every few seconds that it is there. */
  silence: 30_000,
  /** How often that is looked at. */
  look: 5_000,
};
const names = ['picture', 'board', 'events', 'skipped', 'state', 'beat'];

/** Whether a place in the events, such as `3/4812`, is behind another one, or the same. */
function isBehind(place, other) {
  const [[epoch, seq], [otherEpoch, otherSeq]] = [place, other].map((one) => one.split('/').map(Number));
  return epoch === otherEpoch && seq >= otherSeq;
}

/** The windows, and the stream that they share. */
class Hub {
  /** Port → the departments whose rows it shows, and when it was heard. */
  #windows = new Map();
  #source = null;
  #isBroken = false;
  /** The departments that the stream was opened with. */
  #asked = null;
  /** The last place in the events that was heard. */
  #place = null;
  /** Every event behind this place is kept; null: none is. */
  #floor = null;
  #kept = [];
  /** The newest board and the newest state, as they came: JSON. */
  #board = null;
  #state = null;

  constructor() {
    setInterval(() => this.#forgetSilent(), limits.look);
  }

  /** A window wants the stream, is still there, or goes. */
  hear(port, message) {
    if (message.word === 'here' && this.#windows.has(port)) this.#windows.get(port).heard = Date.now();
    if (message.word === 'open') this.#join(port, message);
    if (message.word === 'close') this.#leave(port);
  }

  #join(port, { address, departments, after }) {
    // The last one stands last.
    this.#windows.delete(port);
    this.#windows.set(port, { departments, heard: Date.now() });
    const hasAll = after === null || (this.#floor !== null && isBehind(after, this.#floor));
    const goesOn = this.#source !== null && this.#wanted() === this.#asked;
    if (hasAll) this.#catchUp(port, after, goesOn);
    if (hasAll && goesOn) return;
    // Without a state there is no picture for a new window yet: the server sends one to those that name no place.
    this.#open(address, this.#state === null && after === null ? null : hasAll ? this.#place : after);
  }

  #leave(port) {
    this.#windows.delete(port);
    if (this.#windows.size === 0) this.#close();
  }

  #forgetSilent() {
    for (const [port, { heard }] of this.#windows) if (Date.now() - heard > limits.silence) this.#leave(port);
  }

  #wanted() {
    const all = [...this.#windows.values()].reverse().flatMap((one) => one.departments);
    return JSON.stringify([...new Set(all)].slice(0, limits.departments).sort());
  }

  #open(address, after) {
    this.#close();
    this.#asked = this.#wanted();
    if (after !== this.#place || after === null) [this.#floor, this.#kept] = [after, []];
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
    this.#isBroken = false;
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
    if (this.#state === null) return;
    if (after === null) {
      tell('picture', `{"state":${this.#state},"board":${this.#board ?? 'null'}}`, this.#place);
    } else {
      for (const { data, id } of this.#kept) if (id !== null && !isBehind(after, id)) tell('events', data, id);
      tell('state', this.#state, null);
      if (this.#board !== null && hasRows) tell('board', this.#board, null);
    }
    if (this.#isBroken) port.postMessage({ name: 'broken', isClosed: false });
  }

  // The browser itself connects again, unless the server has refused.
  #tellBroken() {
    const isClosed = this.#source?.readyState === EventSource.CLOSED;
    this.#isBroken = true;
    if (isClosed) this.#source = null;
    for (const port of this.#windows.keys()) port.postMessage({ name: 'broken', isClosed });
  }
}

const hub = new Hub();
addEventListener('connect', ({ ports: [port] }) => {
  port.onmessage = ({ data }) => hub.hear(port, data);
});
