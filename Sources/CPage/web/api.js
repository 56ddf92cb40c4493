/** Questions and actions over HTTP. */

import { LIMITS } from './limits.js';
import { sentence } from './words.js';

/** A request that has failed: a code for the page, and a sentence for people. */
export class ApiError extends Error {
  /** @param {string} code @param {string} message @param {number} status - 0: no answer came. */
  constructor(code, message, status) {
    super(sentence(message));
    this.code = code;
    this.status = status;
  }
}

/** The page's own server. */
export class Api {
  #prefix;
  #onSignIn;

  /** @param {string} prefix - In front of every path. @param {() => void} onSignIn - The session is over. */
  constructor(prefix, onSignIn) {
    this.#prefix = prefix;
    this.#onSignIn = onSignIn;
  }

  /** The address of a path of the interface. */
  address(path, query = {}) {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      for (const one of [value].flat())
        if (one !== null && one !== undefined && one !== '') parameters.append(name, one);
    }
    const text = parameters.toString();
    return `${this.#prefix}/api/${path}${text ? `?${text}` : ''}`;
  }

  /** Asks a question. Members of `query` without a value are left out. */
  get(path, query) {
    return this.#fetch(this.address(path, query), { method: 'GET' });
  }

  /** Sends a body. */
  post(path, body) {
    const headers = { 'Content-Type': 'application/json' };
    return this.#fetch(this.address(path), { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /** Why an address is refused, in a sentence; null: it is not, or no answer came. What is not refused is not read. */
  async refusal(path, query) {
    const reading = new AbortController();
    const limit = setTimeout(() => reading.abort(), LIMITS.requestTime);
    const options = { credentials: 'same-origin', cache: 'no-store', redirect: 'error', signal: reading.signal };
    const answer = await fetch(this.address(path, query), options).catch(() => null);
    const document = answer && !answer.ok ? await answer.json().catch(() => null) : null;
    clearTimeout(limit);
    reading.abort();
    return document?.error ? sentence(document.error.message) : null;
  }

  async #fetch(address, options) {
    const answer = await fetch(address, {
      ...options,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(LIMITS.requestTime),
    }).catch((error) => {
      throw noAnswer(error);
    });
    if (answer.status === 204) return null;
    const document = await answer.json().catch(() => null);
    if (answer.ok && document !== null) return document;
    const { code = 'unreadable', message = `The answer of the page cannot be read (${answer.status}).` } =
      document?.error ?? {};
    if (code === 'sign_in') this.#onSignIn();
    throw new ApiError(code, message, answer.status);
  }
}

/** Part of a path: a name may have any characters. */
export function segment(name) {
  return encodeURIComponent(name);
}

/** A random UUID. `crypto.randomUUID` is missing where the page is served without TLS by another machine. */
export function uuid() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function noAnswer(error) {
  const isLate = error.name === 'TimeoutError';
  return new ApiError(
    'no_answer',
    isLate ? 'The page does not answer in time. Try again.' : 'The page cannot be reached. Try again.',
    0,
  );
}
