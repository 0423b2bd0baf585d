import { render } from 'preact';
import { Copy } from '../parts/named-id.js';
import { Search } from './search.js';
import { TryIt, type Tried } from './try-it.js';

/*
 * Functions of the pages of the documentation that the gateway does not print: its address, the search, copies, tries.
 */

const USUAL_BASE = 'http://127.0.0.1:8787';
/** The root of the gateway, as the reader has it: pages know their own address alone. */
const BASE =
  location.origin + location.pathname.slice(0, Math.max(0, location.pathname.search(/(?:\/api\/v1|\/v1)?\/docs/)));

for (const place of document.querySelectorAll<HTMLElement>('[data-base]')) place.textContent = BASE;
for (const code of document.querySelectorAll<HTMLElement>('pre[data-copy]')) {
  code.textContent = code.textContent.replaceAll(USUAL_BASE, BASE);
  const beside = document.createElement('div');
  code.after(beside);
  render(<Copy text={code.textContent}>Copy</Copy>, beside);
}

// Elements that scroll sideways accept focus, so that the keyboard can scroll them.
for (const wide of document.querySelectorAll<HTMLElement>('.guide table, .guide pre')) wide.tabIndex = 0;

render(<Search folder={new URL('../', import.meta.url)} />, document.getElementById('search')!);

const place = document.getElementById('try');
if (place) render(<TryIt base={BASE} of={JSON.parse(place.dataset['operation']!) as Tried} />, place);

// The side moves, and not the page: on a small screen it stands behind it.
const side = document.querySelector<HTMLElement>('.side');
const current = side?.querySelector<HTMLElement>('[aria-current]');
if (side && current) side.scrollTop = current.offsetTop - side.clientHeight / 2;

// The program has moved the heading that the address names.
if (location.hash !== '') document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
