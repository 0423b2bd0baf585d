import { signal } from '@preact/signals';
import { asFailure, send, type ApiFailure } from '../api/transport.js';
import { PAGES, ROOT } from './base.js';
import { navigate, path } from './router.js';
import { openSession, signIn } from './session.js';

/** The page to which an issuer redirects the browser; and where this window was before. */
const RETURN = 'oidc';
const PLACE = 'fairlead-place';

/** Host of the issuer that one may sign in by; undefined: there is none. */
export const issuer = document.getElementById('console')?.dataset['issuer'];
/** Why the issuer's answer opened no session. */
export const signOnFailure = signal<ApiFailure | undefined>(undefined);

const address = new URL(`console/${RETURN}`, ROOT).href;

/** Leads the browser to the issuer. @throws ApiFailure */
export async function beginSignOn(): Promise<void> {
  const { data } = await send<{ readonly data: { readonly url: string } }>('POST', 'console/oidc', {
    body: { address },
  });
  sessionStorage.setItem(PLACE, location.pathname + location.search);
  location.assign(data.url);
}

/**
 * Opens the session that the browser has, or the one that it comes from the issuer for.
 * @param isLikely whether the browser seems to have one
 */
export async function openFirst(isLikely: boolean): Promise<void> {
  if (path.value !== RETURN) return openSession(isLikely);
  const answer = location.search.slice(1);
  // Neither the history nor a copied address keeps the code.
  navigate(takePlace(), 'replace');
  try {
    await signIn({ answer, address });
  } catch (error) {
    signOnFailure.value = asFailure(error);
    await openSession(true);
  }
  return undefined;
}

/** Path of the page to return to after the sign-in. It is deleted when it is read. */
function takePlace(): string {
  const place = sessionStorage.getItem(PLACE);
  sessionStorage.removeItem(PLACE);
  const isOfConsole = place?.startsWith(PAGES) && /^(?:$|[/?])/.test(place.slice(PAGES.length));
  return isOfConsole ? place! : PAGES;
}
