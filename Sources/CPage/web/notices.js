/** Short notices for each change of state and for the result of each action. */

import { h, visible } from './dom.js';
import { LIMITS } from './limits.js';

/** The notices in the corner of the page. */
export class Notices {
  #quiet = h('div', { role: 'status', 'aria-live': 'polite', 'aria-relevant': 'additions', 'aria-label': 'News' });
  #urgent = h('div', { role: 'alert', 'aria-relevant': 'additions', 'aria-label': 'Problems' });

  /** The last notice of each subject. */
  #standings = new Map();

  /** @param {Element} root */
  constructor(root) {
    root.replaceChildren(this.#urgent, this.#quiet);
  }

  /** Tells of something that went well, or of news. `tone`: `good`, `warn`, `bad` or `plain`. */
  tell(text, tone = 'plain') {
    // What somebody did comes back as an event: it is told once.
    if ([...this.#quiet.children].some((item) => item.firstChild.textContent === visible(text))) return;
    this.#removeLater(this.#add(this.#quiet, text, tone));
  }

  /** Tells how something stands now. An earlier notice of the same subject is no longer so, and goes. */
  tellStanding(subject, text, tone) {
    this.#standings.get(subject)?.remove();
    const item = this.#add(this.#quiet, text, tone);
    this.#standings.set(subject, item);
    this.#removeLater(item);
  }

  /** Tells of a problem. It stays until somebody has closed it, or further ones need its place. */
  problem(text) {
    this.#add(this.#urgent, text, 'bad');
  }

  #add(list, text, tone) {
    const item = h(
      'div',
      { class: `notice ${tone}` },
      h('span', null, text),
      h('button', { class: 'quiet close', 'aria-label': 'Close this notice', onclick: () => item.remove() }, '×'),
    );
    while (list.children.length >= LIMITS.notices) list.firstElementChild.remove();
    list.append(item);
    return item;
  }

  // Nobody is hurried: a notice under the pointer or with the focus stays.
  #removeLater(item) {
    setTimeout(() => {
      if (item.matches(':hover, :focus-within')) return this.#removeLater(item);
      item.remove();
    }, LIMITS.noticeTime);
  }
}
