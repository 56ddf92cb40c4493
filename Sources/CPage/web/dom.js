/**
 * Elements are made here and nowhere else. Text is always a text node, so nothing in it can become markup, and hidden
 * characters in it are shown.
 */

const svgNamespace = 'http://www.w3.org/2000/svg';

/** The handlers of each element by the event's name. They are kept apart, so that a patch can hand over new ones. */
const handlers = new WeakMap();

/**
 * An element of HTML.
 * @param {string} tag
 * @param {Object<string, any>|null} attributes - `null` and `false` leave one out, `true` sets it without a value. A
 *   function under `onNAME` handles that event. `key` names the element among its siblings.
 * @param {...any} children - Elements, texts, numbers, or arrays of them. `null` and `false` are left out.
 */
export function h(tag, attributes, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/** An element of SVG; otherwise like `h`. */
export function s(tag, attributes, ...children) {
  return build(document.createElementNS(svgNamespace, tag), attributes, children);
}

/** What a reader does not see, and what moves the text around it: control and format characters, such as U+202E. */
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** The text with each hidden character by its number: `⟨U+202E⟩`. So two keys that differ look different. */
export function visible(text) {
  return String(text).replace(
    hidden,
    (character) => `⟨U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}

/** The attributes that are read by people. */
const shown = new Set(['title', 'aria-label', 'placeholder']);

/** Sets the text of an element, if it has another one. */
export function setText(element, text) {
  const value = visible(text);
  const first = element.firstChild;
  if (first?.nodeType === Node.TEXT_NODE && !first.nextSibling) {
    if (first.data !== value) first.data = value;
  } else {
    element.replaceChildren(value);
  }
}

/** The name of a node among its siblings; null: it has none. */
export function keyOf(node) {
  return node.nodeType === Node.ELEMENT_NODE ? node.getAttribute('data-key') : null;
}

/** Lets `current` do what `wanted` would do at each event. */
export function takeHandlers(current, wanted) {
  const wantedHandlers = handlers.get(wanted);
  if (!wantedHandlers && !handlers.has(current)) return;
  for (const name of wantedHandlers?.keys() ?? []) listen(current, name);
  handlers.set(current, wantedHandlers ?? new Map());
}

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) set(element, name, value);
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : visible(child));
  }
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (typeof value === 'function') {
    const event = name.slice('on'.length);
    listen(element, event);
    handlers.get(element).set(event, value);
  } else if (name === 'checked') {
    element.checked = true;
  } else {
    const text = value === true ? '' : shown.has(name) ? visible(value) : String(value);
    element.setAttribute(name === 'key' ? 'data-key' : name, text);
  }
}

function listen(element, event) {
  if (!handlers.has(element)) handlers.set(element, new Map());
  // The same function is added only once, however often this is called.
  element.addEventListener(event, dispatch);
}

function dispatch(event) {
  handlers.get(event.currentTarget)?.get(event.type)?.(event);
}
