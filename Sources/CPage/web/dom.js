/** Elements are made here and nowhere else. Text is always a text node, so nothing in it can become markup. */

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

/** Sets the text of an element, if it has another one. */
export function setText(element, text) {
  const value = String(text);
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
    element.append(child instanceof Node ? child : String(child));
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
    element.setAttribute(name === 'key' ? 'data-key' : name, value === true ? '' : String(value));
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
