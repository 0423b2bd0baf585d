import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { MINUTE_MS } from '../../core/time.js';

/** Maximum time of a sign-in at the issuer. */
export const SIGN_ON_MS_MAX = 10 * MINUTE_MS;

const ID_BYTES = 16;
const STATE = /^([\w-]{22}\.([0-9a-z]{1,9}))\.([\w-]{43})$/;

/** The values by which the end of a sign-in is matched to its beginning. All are derived, so that nothing is stored. */
export interface SignOnSecrets {
  readonly state: string;
  /** Nonce in the ID token. */
  readonly nonce: string;
  /** Code verifier of PKCE. */
  readonly verifier: string;
}

/**
 * Begins a sign-in of a browser. Any replica can end it: the state is signed by a token that this browser alone has.
 * @param token of the browser, in a cookie; windows of it share the token, and each has a separate state
 */
export function beginSignOn(token: string, nowMs: number): SignOnSecrets {
  const begun = `${randomBytes(ID_BYTES).toString('base64url')}.${(nowMs + SIGN_ON_MS_MAX).toString(36)}`;
  return secretsOf(token, `${begun}.${derive(token, 'state', begun)}`);
}

/** The sign-in that a state belongs to; undefined where another browser began it, none did, or its time is over. */
export function readSignOn(token: string, state: string, nowMs: number): SignOnSecrets | undefined {
  const [, begun, ends, proof] = STATE.exec(state) ?? [];
  if (begun === undefined) return undefined;
  const isOwn = timingSafeEqual(Buffer.from(proof!), Buffer.from(derive(token, 'state', begun)));
  return isOwn && nowMs < Number.parseInt(ends!, 36) ? secretsOf(token, state) : undefined;
}

const secretsOf = (token: string, state: string): SignOnSecrets => ({
  state,
  nonce: derive(token, 'nonce', state),
  verifier: derive(token, 'verifier', state),
});

const derive = (token: string, purpose: string, text: string): string =>
  createHmac('sha256', token).update(`${purpose} ${text}`).digest('base64url');
