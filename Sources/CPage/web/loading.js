/** Loads the scripts of screens. One that does not come is loaded with the whole page, as soon as the page answers. */

import { h } from './dom.js';
import { LIMITS } from './limits.js';
import { head } from './parts.js';

/** Where this tab keeps the address that it has loaded anew by itself: it does so once, and not again and again. */
const place = 'teller.loaded-anew';

/**
 * The script of a screen did not come: the page is away, the network has changed, or the page is of another version by now,
 * with other addresses of its scripts.
 */
export class NotLoaded extends Error {}

/** The module of a screen. Throws `NotLoaded`. */
export async function loadScreen(script) {
  const screen = await import(script).catch((error) => {
    throw new NotLoaded(error.message);
  });
  keep(null);
  return screen;
}

/**
 * Says that a screen is not loaded, and loads it with the whole page once that answers.
 * @returns {() => void} Ends that.
 */
export function showNotLoaded(main, api, error) {
  const again = h('button', { class: 'main', onclick: () => location.reload() }, 'Load again');
  const isHopeful = keptPlace() !== location.href && keep(location.href);
  const reason = isHopeful ? 'The page has not answered. The screen is loaded as soon as it answers.' : error.message;
  main.replaceChildren(head('This screen is not loaded'), h('p', { class: 'problem' }, reason), h('p', null, again));
  return isHopeful ? reloadLater(api) : () => {};
}

function reloadLater(api) {
  let [pause, isEnded] = [LIMITS.firstReconnect, false];
  const look = async () => {
    const doesAnswer = await api.get('me').then(
      () => true,
      () => false,
    );
    if (isEnded) return;
    if (doesAnswer) return location.reload();
    pause = Math.min(2 * pause, LIMITS.longestReconnect);
    timer = setTimeout(look, pause);
  };
  let timer = setTimeout(look, pause);
  return () => {
    isEnded = true;
    clearTimeout(timer);
    keep(null);
  };
}

// A browser may refuse to keep anything: then nothing is loaded anew by itself.
function keep(address) {
  try {
    if (address === null) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, address);
    return true;
  } catch {
    return false;
  }
}

function keptPlace() {
  try {
    return sessionStorage.getItem(place);
  } catch {
    return null;
  }
}
