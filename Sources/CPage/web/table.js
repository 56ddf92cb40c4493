/** Tables: where one has no room each row becomes a card, and stays a row for screen readers. */

import { h } from './dom.js';
import { afterDrawing, drawAll } from './view.js';
import { number } from './words.js';

/** In a window of this width rows are cards in any case. */
const narrow = matchMedia('(max-width: 760px)');
/** By the caption: how wide the page has to be, so that the table has room. It depends on what stands in it. */
const needed = new Map();
addEventListener('resize', drawAll);
afterDrawing(fit);

function pageWidth() {
  return document.getElementById('main').clientWidth;
}

/** A table that is wider than its place becomes cards, before anybody sees it. */
function fit() {
  let isChanged = false;
  for (const box of document.querySelectorAll('.tablebox:not(.cards)')) {
    const table = box.firstElementChild;
    if (table.offsetWidth <= box.clientWidth) continue;
    const caption = table.getAttribute('aria-label');
    needed.set(caption, Math.ceil((pageWidth() * table.offsetWidth) / box.clientWidth));
    box.classList.add('cards');
    isChanged = true;
  }
  if (isChanged) drawAll();
}

/**
 * A table.
 * @param {object} table
 * @param {string} table.caption - Names the table for screen readers.
 * @param {Array<{title: string, cell: (item: any) => any, className?: string, isHeader?: boolean, label?: string}>}
 *   table.columns - One column has `isHeader`: its cell names the row. `label` stands in for an empty title.
 * @param {Array<any>} table.items
 * @param {(item: any) => string} table.key
 * @param {number} table.limit - Further items are counted instead of shown.
 * @param {string} table.empty - The words for no items.
 */
export function table({ caption, columns, items, key, limit, empty, rowClass = () => null }) {
  const shown = columns.filter((column) => column !== null);
  if (items.length === 0) return h('p', { class: 'empty', key: `empty ${caption}` }, empty);
  return h(
    'div',
    { class: narrow.matches || needed.get(caption) > pageWidth() ? 'tablebox cards' : 'tablebox', key: `table ${caption}` },
    h(
      'table',
      { role: 'table', 'aria-label': caption },
      h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, shown.map(title))),
      h(
        'tbody',
        { role: 'rowgroup' },
        items.slice(0, limit).map((item) =>
          h(
            'tr',
            { role: 'row', key: key(item), class: rowClass(item) },
            shown.map((column) => cell(column, item)),
          ),
        ),
      ),
    ),
    items.length > limit ? h('p', { class: 'more' }, `${number(items.length - limit)} more are not shown.`) : null,
  );
}

function title({ title: text, className = null, label = null }) {
  return h(
    'th',
    { role: 'columnheader', scope: 'col', class: className },
    text || h('span', { class: 'unseen' }, label ?? 'Actions'),
  );
}

function cell({ title: text, cell: render, className = null, isHeader = false }, item) {
  const attributes = { class: className, 'data-label': text || null };
  // On a narrow screen the label stands beside it; on a wide one this box is none.
  const content = h('div', { class: 'content' }, render(item));
  return isHeader
    ? h('th', { ...attributes, role: 'rowheader', scope: 'row' }, content)
    : h('td', { ...attributes, role: 'cell' }, content);
}

/** Links between the pages of a list. Pages go by place, so a list that grows meanwhile shows nothing twice. */
export function pager(app, { path, query, place, next, name }) {
  const first = { ...query, [name]: null };
  return h(
    'nav',
    { class: 'pager', 'aria-label': 'Pages of the list', key: 'pager' },
    place ? app.link(path, '« First page', first) : null,
    next ? app.link(path, 'Next page ›', { ...query, [name]: next }) : h('span', { class: 'soft' }, 'End of the list'),
  );
}
