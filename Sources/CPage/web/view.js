/** The page is written in one pass for each frame of the screen, however many changes come in between. */

import { h } from './dom.js';
import { patchChildren } from './patch.js';

const waiting = new Set();
const looks = new Set();
const views = new Set();

/** Does something in the next frame; the same function only once. */
export function inFrame(write) {
  if (waiting.size === 0) requestAnimationFrame(writeAll);
  waiting.add(write);
}

/** Looks at the page after each drawing, before it is shown. */
export function afterDrawing(look) {
  looks.add(look);
}

/** Draws all parts of the page anew, for example because an action has begun. */
export function drawAll() {
  for (const view of views) view.draw();
}

/** A part of the page that is drawn from what is known, again and again. */
export class View {
  #root;
  #render;
  #write = () => this.#writeNow();

  /**
   * @param {Element} root - Its children belong to this view.
   * @param {() => any} render - Makes what is wanted now: elements, texts, or an array of them.
   */
  constructor(root, render) {
    this.#root = root;
    this.#render = render;
    views.add(this);
    this.draw();
  }

  /** Draws in the next frame. */
  draw() {
    if (views.has(this)) inFrame(this.#write);
  }

  /** Whether the drawing waits until the reader has selected. */
  get isHeld() {
    return this.#root.classList.contains('held');
  }

  /** Draws no more. */
  end() {
    views.delete(this);
    waiting.delete(this.#write);
  }

  #writeNow() {
    const isHeld = isSelecting(this.#root);
    this.#root.classList.toggle('held', isHeld);
    if (!isHeld) patchChildren(this.#root, h('div', null, this.#render()));
  }
}

// Text that was held back is shown as soon as nothing is selected any more.
document.addEventListener('selectionchange', () => {
  if (document.getSelection()?.isCollapsed) for (const view of views) if (view.isHeld) view.draw();
});

/** Whether the reader selects text there, perhaps to copy it. */
function isSelecting(root) {
  const selection = document.getSelection();
  return Boolean(
    selection &&
      !selection.isCollapsed &&
      selection.rangeCount > 0 &&
      root.contains(selection.getRangeAt(0).commonAncestorContainer),
  );
}

function writeAll() {
  const writes = [...waiting];
  waiting.clear();
  for (const write of writes) write();
  for (const look of looks) look();
}
