/** How runs lie on tellers: as they were, and as they would lie without gaps. Pure. */

/** Two clocks measure a run, so two runs of one teller may overlap by so many milliseconds. */
const overlap = 60;

/**
 * Puts runs on lanes: each on a lane that is free when it starts, and on that of its worker if there is one. Reports come
 * in packs, so the ends of short runs are not exact: where no lane is free, a run goes behind the one that ends first.
 * @param {Array<{start: number, end: number, worker?: string|null}>} runs
 * @param {number} most - No more lanes than these.
 * @returns {Array<{run: object, lane: number, start: number, end: number}>}
 */
export function lanes(runs, most) {
  const free = [];
  const workers = [];
  return [...runs]
    .sort((one, other) => one.start - other.start)
    .map((run) => {
      const lane = laneFor(run, free, workers, most);
      const start = Math.max(run.start, free[lane] ?? run.start);
      const end = Math.max(start, run.end);
      free[lane] = end;
      workers[lane] = run.worker ?? workers[lane] ?? null;
      return { run, lane, start, end };
    });
}

/** `free`: until when each lane is taken; `workers`: who served the last run on it, where that is known. */
function laneFor(run, free, workers, most) {
  const isFree = (end) => end <= run.start + overlap;
  const own = free.findIndex((end, lane) => isFree(end) && run.worker && workers[lane] === run.worker);
  if (own !== -1) return own;
  const found = free.findIndex(isFree);
  if (found !== -1) return found;
  return free.length < most ? free.length : free.indexOf(Math.min(...free));
}

/**
 * Puts the same runs on tellers that are never idle: each takes the next run at once.
 * @returns {{bars: Array<object>, length: number}} `length`: how long all take together, in milliseconds.
 */
export function ideal(runs, tellers) {
  const ordered = [...runs].sort((one, other) => one.start - other.start);
  if (ordered.length === 0 || tellers < 1) return { bars: [], length: 0 };
  const begin = ordered[0].start;
  const free = Array(tellers).fill(begin);
  const bars = ordered.map((run) => {
    const lane = free.indexOf(Math.min(...free));
    const start = free[lane];
    free[lane] = start + Math.max(0, run.end - run.start);
    return { run, lane, start, end: free[lane] };
  });
  return { bars, length: Math.max(...free) - begin };
}

/** How long at least one of the runs went on, and the sum of all, both in milliseconds. */
export function busyTimes(runs) {
  let [busy, worked, end] = [0, 0, -Infinity];
  for (const run of [...runs].sort((one, other) => one.start - other.start)) {
    worked += run.end - run.start;
    busy += Math.max(0, run.end - Math.max(end, run.start));
    end = Math.max(end, run.end);
  }
  return { busy, worked };
}
