/** The page: who looks, what is shown, and everything that the screens share. */

import { Actions } from './actions.js';
import { Api } from './api.js';
import { Chrome } from './chrome.js';
import { clock, startTicking } from './clock.js';
import { ask, confirm } from './dialog.js';
import * as dom from './dom.js';
import { LIMITS } from './limits.js';
import { Live } from './live.js';
import { loadScreen, NotLoaded, showNotLoaded } from './loading.js';
import { News } from './news.js';
import { Notices } from './notices.js';
import * as operations from './operations.js';
import * as parts from './parts.js';
import { addressOf, findRoute, isPlainClick, pathOf } from './router.js';
import { showSignIn } from './sign-in.js';
import { isAfter } from './since.js';
import { Source } from './source.js';
import * as states from './states.js';
import { table } from './table.js';
import { applyTheme } from './theme.js';
import { View } from './view.js';
import * as words from './words.js';

const meta = (name) => document.querySelector(`meta[name="${name}"]`).content;
const prefix = meta('prefix');
const screens = JSON.parse(meta('screens') || '[]');
const main = document.getElementById('main');

let me = { role: null, needs_sign_in: false, signed_in: false };
let endScreen = () => {};
let turn = 0;
/** How often it was asked who looks. */
let questions = 0;
/** The address that is shown. */
let shown = null;

const api = new Api(prefix, () => askWhoLooks());
const live = new Live(api, () => askWhoLooks());
const notice = new Notices(document.getElementById('notices'));
const actions = new Actions(api, notice, () => me);

/** What each screen is given, also those that are added by other modules. */
const app = {
  api,
  live,
  notice,
  actions,
  ask,
  confirm,
  clock,
  dom,
  parts,
  states,
  words,
  table,
  operations,
  View,
  Source,
  isAfter,
  get me() {
    return me;
  },
  get screens() {
    return screens;
  },
  /** The parameters of the present address, such as `name`. */
  parameters: {},
  /** The query of the present address. */
  query: {},
  address: (path, query) => addressOf(prefix, path, query),
  link: (path, text, query = {}, attributes = {}) =>
    dom.h('a', { href: addressOf(prefix, path, query), ...attributes }, text),
  go,
  reload,
  signOut,
  askWhoLooks,
};

const chrome = new Chrome(app);

/** Shows another address. */
function go(path, query = {}) {
  history.pushState(null, '', addressOf(prefix, path, query));
  show({ isNew: true });
}

/** Shows the present address from its beginning. */
function reload() {
  show({ isNew: false });
}

async function show({ isNew }) {
  turn += 1;
  const own = turn;
  endScreen();
  endScreen = () => {};
  live.watch([]);
  main.replaceChildren();
  shown = location.pathname + location.search;
  const path = pathOf(prefix, new URL(location.href)) ?? '/';
  chrome.showPath(path);
  if (isNew) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
  if (me.needs_sign_in && me.role === null) return showSignIn(main, app);
  const end = await begin(path).catch((error) => (own === turn ? showProblem(error) : () => {}));
  // Somebody has gone on while the screen was loaded.
  if (own === turn) endScreen = end;
  else end();
}

async function begin(path) {
  const route = findRoute(path, screens);
  if (!route) return showNothing();
  app.parameters = route.parameters;
  app.query = Object.fromEntries(new URLSearchParams(location.search));
  if (route.style) addStyle(route.style);
  const screen = await loadScreen(route.script);
  return (await screen.show(main, app)) ?? (() => {});
}

function showNothing() {
  chrome.setTitle('Not found');
  main.replaceChildren(parts.head('There is no such page'), dom.h('p', null, app.link('/', 'Go to the overview'), '.'));
  return () => {};
}

function showProblem(error) {
  if (error instanceof NotLoaded) return showNotLoaded(main, api, error);
  main.replaceChildren(parts.head('This page cannot be shown'), dom.h('p', { class: 'problem' }, error.message));
  return () => {};
}

function addStyle(address) {
  const isThere = [...document.querySelectorAll('link[rel="stylesheet"]')].some(
    (link) => link.getAttribute('href') === address,
  );
  if (!isThere) document.head.append(dom.h('link', { rel: 'stylesheet', href: address }));
}

async function signOut() {
  await api.post('sign-out', {});
  await askWhoLooks();
}

/** Asks who looks. Somebody else, or nobody, sees the page from its beginning. */
async function askWhoLooks() {
  questions += 1;
  const own = questions;
  const answer = await api.get('me').catch(() => null);
  // An answer from before somebody signed in may come last. The newest question has the valid answer.
  if (own !== questions) return;
  const before = me;
  // The page is away: who looks stays as it was, and a page that has just begun asks again.
  if (answer === null && me.role === null) setTimeout(askWhoLooks, LIMITS.longestReconnect);
  me = answer ?? me;
  chrome.draw();
  if (me.role === null) live.stop();
  else live.start();
  if (me.role !== before.role || me.name !== before.name) reload();
}

document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  if (!link || link.target || !isPlainClick(event)) return;
  const url = new URL(link.href);
  const path = pathOf(prefix, url);
  if (path === null || url.hash || path.startsWith('/api/') || path.startsWith('/assets/')) return;
  event.preventDefault();
  history.pushState(null, '', url);
  show({ isNew: true });
});
addEventListener('popstate', () => {
  // The link past the menu changes the place in the document alone.
  if (location.pathname + location.search !== shown) reload();
});

applyTheme();
startTicking();
new News(app).start();
await askWhoLooks();
if (me.role === null) reload();
