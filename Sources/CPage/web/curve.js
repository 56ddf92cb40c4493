/** A small curve of the numbers of the last minutes. */

import { s } from './dom.js';
import { LIMITS } from './limits.js';

const [width, height] = [72, 18];

/** Remembers numbers by name, at most one a second. */
export class History {
  #points = new Map();

  /** Takes the numbers of one moment. Names that are not among them are forgotten. */
  add(atMs, numbers) {
    for (const name of this.#points.keys()) if (!numbers.has(name)) this.#points.delete(name);
    for (const [name, value] of numbers) {
      const points = this.#points.get(name) ?? [];
      if (points.length > 0 && atMs - points.at(-1).at < 1000) continue;
      points.push({ at: atMs, value });
      if (points.length > LIMITS.curvePoints) points.shift();
      this.#points.set(name, points);
    }
  }

  /** The curve of a name; null: too little is known. Screen readers pass over it: the number itself stands beside it. */
  curve(name) {
    const points = this.#points.get(name) ?? [];
    if (points.length < 3) return null;
    const most = Math.max(1, ...points.map((point) => point.value));
    const step = width / (LIMITS.curvePoints - 1);
    const left = width - (points.length - 1) * step;
    const place = ({ value }, index) =>
      `${(left + index * step).toFixed(1)},${(height - 1 - (value / most) * (height - 3)).toFixed(1)}`;
    return s(
      'svg',
      { class: 'curve', viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': 'true' },
      s('polyline', { points: points.map(place).join(' ') }),
    );
  }
}
