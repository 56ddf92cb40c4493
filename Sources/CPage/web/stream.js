/**
 * The way to the live stream: one for all windows of this browser, where it can share one; else one of this window's own.
 * What this window says to the shared stream always has the whole question: the other side may have forgotten it.
 */

import { LIMITS } from './limits.js';

const names = ['picture', 'board', 'events', 'skipped', 'state', 'beat'];

/** A stream that may be opened again and again, each time with another question. */
export class Stream {
  #address;
  #take;
  #broken;
  #port;
  #own = null;
  #question = null;
  #timer = null;

  /**
   * @param {string} address - Without a query.
   * @param {(name: string, data: string, id: string|null, hasRows: boolean) => void} take - A message has come; `hasRows`:
   *   its board has the rows that were asked for.
   * @param {(isClosed: boolean) => void} broken - The connection is lost; `isClosed`: it is not tried again.
   */
  constructor(address, take, broken) {
    [this.#address, this.#take, this.#broken] = [address, take, broken];
    this.#connect();
  }

  /** Whether all windows have one stream together. */
  get isShared() {
    return this.#port !== null;
  }

  /** Whether it is open, or about to be. */
  get isOpen() {
    return this.#question !== null;
  }

  /** Opens it. `question`: the departments whose rows are wanted, and the place in the events behind which it begins. */
  open(question) {
    this.close();
    this.#question = { ...question };
    if (!this.#port) return this.#openOwn();
    this.#say('open');
    this.#timer = setInterval(() => this.#say('here'), LIMITS.hereTime);
  }

  /** Closes it, and connects to the shared stream again: the one that this window was connected to may have ended. */
  renew() {
    this.close();
    this.#port?.close();
    this.#connect();
  }

  /** Closes it, for this window. */
  close() {
    clearInterval(this.#timer);
    if (this.isOpen) this.#say('close');
    this.#own?.close();
    [this.#own, this.#question] = [null, null];
  }

  #connect() {
    const port = sharedPort(() => port === this.#port && this.#goAlone());
    if (port) port.onmessage = ({ data }) => this.#hear(data);
    this.#port = port;
  }

  #say(word) {
    this.#port?.postMessage({ word, address: this.#address, ...this.#question });
  }

  #hear({ name, data, id, hasRows, isClosed }) {
    // What was under way when it was closed says nothing any more.
    if (!this.isOpen) return;
    if (id) this.#question.after = id;
    if (name === 'broken') this.#broken(isClosed);
    else this.#take(name, data, id, hasRows);
  }

  #goAlone() {
    this.#port = null;
    clearInterval(this.#timer);
    if (this.isOpen) this.#openOwn();
  }

  #openOwn() {
    const { departments, after } = this.#question;
    const query = new URLSearchParams(departments.map((name) => ['department', name]));
    if (after !== null) query.set('after', after);
    const text = query.toString();
    const source = new EventSource(text ? `${this.#address}?${text}` : this.#address);
    for (const name of names) {
      source.addEventListener(name, ({ data, lastEventId }) => this.#take(name, data, lastEventId || null, true));
    }
    source.addEventListener('error', () => this.#broken(source.readyState === EventSource.CLOSED));
    this.#own = source;
  }
}

/** Made once: a page may make only one policy of this name. */
let policy = null;

/** The way to the shared stream; null: this browser has none. `failed` is called when it does not come after all. */
function sharedPort(failed) {
  if (typeof SharedWorker !== 'function') return null;
  const address = new URL('./stream-worker.js', import.meta.url).href;
  try {
    // The page's policy takes scripts only from here.
    policy ??= globalThis.trustedTypes?.createPolicy('teller-stream', { createScriptURL: () => address });
    const worker = new SharedWorker(policy ? policy.createScriptURL('') : address, { type: 'module' });
    worker.addEventListener('error', failed);
    return worker.port;
  } catch {
    return null;
  }
}
