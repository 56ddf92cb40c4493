/** What is around each screen: the way to the others, the search, the connection, and who looks. */

import { h } from './dom.js';
import { find } from './find.js';
import { at } from './parts.js';
import { badge } from './states.js';
import { themeSwitch } from './theme.js';
import { View } from './view.js';
import { age, zone } from './words.js';

const pages = [
  ['/', 'Overview'],
  ['/jobs', 'Jobs'],
  ['/failed', 'Failed'],
  ['/plans', 'Plans'],
  ['/workers', 'Workers'],
  ['/schedules', 'Schedules'],
  ['/keys', 'Keys'],
  ['/rejected', 'Rejected'],
  ['/webhooks', 'Webhooks'],
  ['/report', 'Report'],
  ['/actions', 'Actions'],
];

/** The frame of the page. */
export class Chrome {
  #app;
  #path = '/';
  #isOpen = false;
  #views;
  #standing = h('div', { class: 'standing' });
  #search;

  /** @param {object} app */
  constructor(app) {
    this.#app = app;
    const nav = h('div', { class: 'links' });
    const menu = h('span', { class: 'menu' });
    const person = h('div', { class: 'person' });
    this.#search = this.#makeSearch();
    document
      .getElementById('top')
      .append(h('div', { class: 'brand' }, app.link('/', 'Teller')), menu, this.#search, this.#standing);
    document.getElementById('nav').append(nav);
    document.getElementById('foot').append(h('p', null, `Times: ${zone()}`), themeSwitch(), person);
    this.#views = [
      new View(nav, () => this.#links()),
      new View(menu, () => this.#menuButton()),
      new View(this.#standing, () => this.#state()),
      new View(person, () => this.#person()),
    ];
    app.live.on('state', () => this.draw());
    app.live.on('board', () => this.draw());
    setInterval(() => this.draw(), 1000);
    document.addEventListener('keydown', (event) => this.#key(event));
  }

  /** Draws what is known now. */
  draw() {
    const isOld = ['slow', 'lost'].includes(this.#app.live.state.state);
    document.body.classList.toggle('isold', isOld && this.#isSignedIn);
    document.body.classList.toggle('issignedout', !this.#isSignedIn);
    for (const view of this.#views) view.draw();
  }

  /** Marks the present page. */
  showPath(path) {
    this.#path = path;
    this.#setOpen(false);
    const title = [...pages, ...this.#added()].find(([one]) => one === path)?.[1];
    this.setTitle(title ?? decodeURI(path).slice(1));
    this.draw();
  }

  /** Names the page in the browser's tab. */
  setTitle(title) {
    document.title = `${title} · Teller`;
  }

  get #isSignedIn() {
    return this.#app.me.role !== null;
  }

  #added() {
    return this.#app.screens.map((screen) => [`/${screen.path}`, screen.title]);
  }

  #links() {
    if (!this.#isSignedIn) return null;
    const isHere = (path) =>
      path === '/'
        ? this.#path === '/' || this.#path.startsWith('/departments/')
        : this.#path === path || this.#path.startsWith(`${path}/`);
    return h(
      'ul',
      null,
      [...pages, ...this.#added()].map(([path, title]) =>
        h('li', { key: path }, this.#app.link(path, title, {}, { 'aria-current': isHere(path) ? 'page' : null })),
      ),
    );
  }

  #menuButton() {
    if (!this.#isSignedIn) return null;
    return h(
      'button',
      {
        class: 'quiet',
        'aria-expanded': String(this.#isOpen),
        'aria-controls': 'nav',
        onclick: () => this.#setOpen(!this.#isOpen),
      },
      'Menu',
    );
  }

  #setOpen(isOpen) {
    this.#isOpen = isOpen;
    document.body.classList.toggle('ismenu', isOpen);
    this.draw();
  }

  #state() {
    if (!this.#isSignedIn) return null;
    const { live, clock } = this.#app;
    const { state, reason, since } = live.state;
    if (state === 'connected') return badge(state);
    const heard = live.heardAt === null ? null : performance.now() - live.heardAt;
    return [
      badge(state, `for ${age(performance.now() - since)}`),
      h(
        'span',
        { class: 'why' },
        reason,
        heard === null ? null : [' What you see is as of ', at(clock.now() - heard), `, ${age(heard)} old.`],
      ),
    ];
  }

  #person() {
    const { me } = this.#app;
    if (me.role === null) return null;
    const leave = () => this.#app.actions.once('sign-out', () => this.#app.signOut());
    return [
      h('p', null, `${me.name}: ${me.role === 'viewer' ? 'viewer, may look only' : me.role}`),
      me.signed_in ? h('button', { class: 'quiet', onclick: leave }, 'Sign out') : null,
      me.version ? h('p', { class: 'soft' }, `Teller ${me.version}`) : null,
    ];
  }

  #makeSearch() {
    const input = h('input', {
      type: 'search',
      name: 'find',
      id: 'find',
      autocomplete: 'off',
      spellcheck: 'false',
      placeholder: '#137, id, kind, error, key, name',
      'aria-label': 'Find by number, id, kind, error, key, or name',
      'aria-keyshortcuts': '/',
      maxlength: 400,
    });
    const submit = (event) => {
      event.preventDefault();
      find(this.#app, input.value);
    };
    return h('form', { role: 'search', onsubmit: submit }, input);
  }

  #key(event) {
    const isTyping = event.target.closest?.('input, textarea, select, dialog');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#search.elements.find.focus();
  }
}
