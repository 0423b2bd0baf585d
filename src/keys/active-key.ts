import type { Caller } from '../core/caller.js';

/** A key that is neither disabled nor deleted, and whom it speaks for: all that authentication needs to know of it. */
export interface ActiveKey {
  readonly caller: Caller;
  /** Milliseconds; `null`: never. It still has to be asked at each use. */
  readonly expiresAtMs: number | null;
}
