import type { Caller } from '../core/caller.js';

/** A key that is neither disabled nor deleted, and whom it speaks for: all that authentication needs to know of it. */
export interface ActiveKey {
  readonly caller: Caller;
  /** When the key or the secret ends, in milliseconds; `null`: never. It still has to be asked at each use. */
  readonly expiresAtMs: number | null;
}

/** Hash of the secret that was presented: what a key is looked up by. */
export const secretOf = ({ keyHash, secretHash = keyHash }: Caller): string => secretHash;
