import { computed, signal } from '@preact/signals';
import { PAGES } from './base.js';
import { mayLeave } from './unsaved.js';

const location_ = signal(new URL(location.href));

/** The path below `/console`, without slashes at its ends: `generations/gen-1`. */
export const path = computed(() =>
  decodeURIComponent(location_.value.pathname.slice(PAGES.length)).replaceAll(/^\/+|\/+$/g, ''),
);
/** Parameters of the query of the address. */
export const query = computed(() => location_.value.searchParams);

const read = (): void => void (location_.value = new URL(location.href));
addEventListener('popstate', read);

/** The address of a page. @param parameters those without a value are left out */
export function addressOf(page: string, parameters: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = new URLSearchParams(given).toString();
  return `${PAGES}${page === '' ? '' : `/${page}`}${search === '' ? '' : `?${search}`}`;
}

/** Shows another page, or the same with other parameters; nothing where the reader stays with what is not saved. */
export function navigate(address: string, how: 'push' | 'replace' = 'push'): void {
  if (!mayLeave()) return;
  if (how === 'push') history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  read();
}

/** Sets parameters of the shown page; an empty value removes one. */
export function setQuery(parameters: Readonly<Record<string, string>>, how: 'push' | 'replace' = 'push'): void {
  const next = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(parameters))
    if (value === '') next.delete(name);
    else next.set(name, value);
  navigate(addressOf(path.value, Object.fromEntries(next)), how);
}
