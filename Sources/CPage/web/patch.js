/**
 * Makes what is on the page equal to what is wanted, with the fewest changes. Elements stay the same objects, so the
 * focus, the selection, open details and what somebody types stay as they are.
 */

import { keyOf, takeHandlers } from './dom.js';

/** Makes the children of `parent` equal to those of `wanted`. Takes nodes out of `wanted`. */
export function patchChildren(parent, wanted) {
  const children = [...wanted.childNodes];
  removeUnwanted(parent, new Set(children.map(keyOf)));
  const keyed = new Map(
    [...parent.childNodes].filter((node) => keyOf(node) !== null).map((node) => [keyOf(node), node]),
  );
  let place = parent.firstChild;
  for (const child of children) {
    const key = keyOf(child);
    const node = key === null ? findSame(place, child) : keyed.get(key);
    if (node && isSame(node, child)) {
      place = bring(parent, node, place);
      patch(node, child);
    } else {
      parent.insertBefore(child, place);
    }
  }
  while (place) {
    const next = place.nextSibling;
    remove(place);
    place = next;
  }
}

function patch(current, wanted) {
  if (current.nodeType === Node.TEXT_NODE) {
    if (current.data !== wanted.data) current.data = wanted.data;
    return;
  }
  patchAttributes(current, wanted);
  takeHandlers(current, wanted);
  // Options are left alone while somebody chooses.
  if (current.nodeName === 'SELECT' && current === document.activeElement) return;
  patchChildren(current, wanted);
}

function patchAttributes(current, wanted) {
  for (const { name, value } of [...wanted.attributes]) {
    if (current.getAttribute(name) !== value) current.setAttribute(name, value);
  }
  for (const { name } of [...current.attributes]) {
    // The reader has opened it.
    const isReaders = name === 'open' && current.nodeName === 'DETAILS';
    if (!isReaders && !wanted.hasAttribute(name)) current.removeAttribute(name);
  }
  if (current.type === 'checkbox' && current.checked !== wanted.checked) current.checked = wanted.checked;
}

function isSame(node, wanted) {
  return node.nodeName === wanted.nodeName && node.nodeType === wanted.nodeType && keyOf(node) === keyOf(wanted);
}

function findSame(place, wanted) {
  for (let node = place; node; node = node.nextSibling) if (isSame(node, wanted)) return node;
  return null;
}

/** A list that loses its first row moves no other row, because that row is gone before the others are looked at. */
function removeUnwanted(parent, keys) {
  for (const node of [...parent.childNodes]) {
    const key = keyOf(node);
    if (key !== null && !keys.has(key)) remove(node);
  }
}

/** Puts a node in its place, and returns the place behind it. A node with the focus stays, and the others move. */
function bring(parent, node, place) {
  if (node === place) return node.nextSibling;
  if (!node.contains(document.activeElement)) {
    parent.insertBefore(node, place);
    return place;
  }
  while (place !== node) {
    const next = place.nextSibling;
    parent.append(place);
    place = next;
  }
  return node.nextSibling;
}

/** Removes a node. The focus in it goes to its neighbour, so that the keyboard does not start from the top again. */
function remove(node) {
  if (node.nodeType === Node.ELEMENT_NODE && node.contains(document.activeElement)) {
    const neighbour = node.nextElementSibling ?? node.previousElementSibling;
    const target = neighbour?.querySelector('a[href], button, input') ?? document.getElementById('main');
    target?.focus({ preventScroll: true });
  }
  node.remove();
}
