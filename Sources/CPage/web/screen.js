/** The frame of a screen that shows the answer to one question. */

import { h } from './dom.js';
import { LIMITS } from './limits.js';
import { freshness, head } from './parts.js';
import { Source } from './source.js';
import { View } from './view.js';

/**
 * Shows a question's answer, and asks again and again.
 * @param {object} screen
 * @param {string} screen.title
 * @param {() => Promise<any>} screen.ask
 * @param {(answer: any) => any} screen.body - Makes what is shown of the answer.
 * @param {() => any} [screen.beside] - Makes what stands beside the title.
 * @param {Element[]} [screen.above] - Elements over the answer that are made once, such as a form.
 * @returns {{source: Source, draw: () => void, end: () => void}}
 */
export function questionScreen(main, { title, ask, body, beside = () => null, above = [], pause = LIMITS.listPause }) {
  const [top, rest] = [h('div'), h('div')];
  main.replaceChildren(top, ...above, rest);
  const draw = () => {
    for (const view of views) view.draw();
  };
  const source = new Source(ask, { draw: () => draw(), pause });
  const views = [
    new View(top, () => head(title, beside(), h('div', { class: 'beside' }, freshness(source)))),
    new View(rest, () => (source.value === null ? null : body(source.value))),
  ];
  source.refresh();
  return {
    source,
    draw,
    end: () => {
      source.end();
      for (const view of views) view.end();
    },
  };
}
