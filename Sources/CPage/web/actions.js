/** Actions: each is carried out once, its button waits meanwhile, and a notice tells its result. */

import { uuid } from './api.js';
import { h } from './dom.js';
import { LIMITS } from './limits.js';
import { drawAll } from './view.js';

/** What a person may do, and what is under way. */
export class Actions {
  #api;
  #notices;
  #me;
  #running = new Set();
  #forms = new Map();

  /** @param {Api} api @param {Notices} notices @param {() => object} me - Who looks, as `api/me` says it. */
  constructor(api, notices, me) {
    this.#api = api;
    this.#notices = notices;
    this.#me = me;
  }

  /** Whether the person may change anything. */
  get areAllowed() {
    return this.#me().role === 'operator';
  }

  /**
   * A button; null for somebody who may only look.
   * @param {string} label
   * @param {() => Promise<any>|any} perform - While its promise is open, the button does nothing more.
   * @param {{key?: string, className?: string, title?: string}} options - `key` tells apart buttons of the same label.
   */
  button(label, perform, { key = label, className = null, title = null } = {}) {
    if (!this.areAllowed) return null;
    const isRunning = this.#running.has(key);
    // A button that is really disabled would lose the focus of the keyboard.
    return h(
      'button',
      {
        type: 'button',
        key: `button ${key}`,
        class: className,
        title,
        'aria-disabled': isRunning ? 'true' : null,
        'aria-busy': isRunning ? 'true' : null,
        onclick: () => this.once(key, perform),
      },
      label,
    );
  }

  /** Does something unless it is under way already. What goes wrong is told. */
  async once(key, perform) {
    if (this.#running.has(key)) return null;
    this.#running.add(key);
    drawAll();
    try {
      return await perform();
    } catch (error) {
      this.#notices.problem(error.message);
      return null;
    } finally {
      this.#running.delete(key);
      drawAll();
    }
  }

  /** Sends one action of the interface. Sent again after no answer came, it is still the same action. */
  send(name, body) {
    return this.sendTo(`actions/${name}`, body);
  }

  /**
   * The same for an action of an added screen, such as `screens/bank/add`. The form's id makes the action one; the next
   * form has another id. Where nobody knows whether the form was carried out, it is sent again for a while: then it is
   * still the same action. Later it is another wish.
   */
  async sendTo(path, body) {
    const key = JSON.stringify([path, body]);
    const form = this.#forms.get(key) ?? this.#newForm(key);
    try {
      const answer = await this.#api.post(path, { form, ...body });
      this.#forget(key, form);
      return answer;
    } catch (error) {
      const isKnown = error.status !== 0 && error.status !== 429 && error.status < 500;
      if (isKnown) this.#forget(key, form);
      throw error;
    }
  }

  #newForm(key) {
    const form = uuid();
    this.#forms.set(key, form);
    setTimeout(() => this.#forget(key, form), LIMITS.formTime);
    return form;
  }

  // A later form of the same content stays: it is another wish.
  #forget(key, form) {
    if (this.#forms.get(key) === form) this.#forms.delete(key);
  }

  /** Sends one action, and tells its result in words. */
  async perform(name, body, words) {
    const answer = await this.send(name, body);
    this.#notices.tell(typeof words === 'function' ? words(answer) : words, 'good');
    return answer;
  }
}
