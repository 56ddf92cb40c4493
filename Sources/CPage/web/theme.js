/** Light and dark: as the system has it, unless the reader has chosen. The choice is kept in this browser. */

import { h } from './dom.js';

const place = 'teller.theme';
const themes = [
  ['system', 'Colours: as the system'],
  ['light', 'Colours: light'],
  ['dark', 'Colours: dark'],
];

/** Puts the chosen colours on the page. */
export function applyTheme() {
  const theme = chosen();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** The switch. */
export function themeSwitch() {
  const change = (event) => {
    keep(event.currentTarget.value);
    applyTheme();
  };
  return h(
    'select',
    { class: 'theme', 'aria-label': 'Colours', onchange: change },
    themes.map(([name, words]) => h('option', { value: name, selected: name === chosen() }, words)),
  );
}

// A browser may refuse to keep anything: then the choice lasts as long as the page.
let choice = null;

function chosen() {
  if (choice) return choice;
  let kept = null;
  try {
    kept = localStorage.getItem(place);
  } catch {
    kept = null;
  }
  choice = themes.some(([name]) => name === kept) ? kept : 'system';
  return choice;
}

function keep(theme) {
  choice = theme;
  try {
    localStorage.setItem(place, theme);
  } catch {
    choice = theme;
  }
}
