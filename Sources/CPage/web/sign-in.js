/** The screen for somebody who is not signed in. */

import { h } from './dom.js';
import { head } from './parts.js';

/** Asks for a token. It is sent once; after that a cookie speaks for the person, which no script can read. */
export function showSignIn(main, app) {
  const token = h('input', {
    type: 'password',
    id: 'token',
    name: 'token',
    required: true,
    autocomplete: 'current-password',
    maxlength: 400,
  });
  const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
  const button = h('button', { type: 'submit', class: 'main' }, 'Sign in');
  const submit = async (event) => {
    event.preventDefault();
    if (button.getAttribute('aria-disabled')) return;
    button.setAttribute('aria-disabled', 'true');
    try {
      await app.api.post('sign-in', { token: token.value });
      token.value = '';
      await app.askWhoLooks();
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
      token.select();
    } finally {
      button.removeAttribute('aria-disabled');
    }
  };
  main.replaceChildren(
    head('Sign in'),
    h(
      'form',
      { class: 'sign-in', onsubmit: submit },
      h('p', null, 'This page asks for a token. The person who runs Teller has it.'),
      h('div', { class: 'field' }, h('label', { for: 'token' }, 'Token'), token),
      problem,
      button,
    ),
  );
  token.focus();
}
