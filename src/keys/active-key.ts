import type { Caller } from '../core/caller.js';

/** A key that is neither disabled nor deleted, and its caller: all that authentication needs. */
export interface ActiveKey {
  readonly caller: Caller;
  /** When the key or the secret ends, in milliseconds; `null`: never. To be checked at each use. */
  readonly expiresAtMs: number | null;
}

/** Hash of the secret that was presented: keys are looked up by it. */
export const secretOf = ({ keyHash, secretHash = keyHash }: Caller): string => secretHash;
