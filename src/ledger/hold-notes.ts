import type { Hold } from './hold.js';

/** Writes down at once what an open hold has come to, before the next beat says so of all of them. */
export abstract class HoldNotes {
  /** Brings into the database what processes before this one have noted there. Before this one takes holds. */
  abstract restore(): Promise<void>;

  /** @returns when no end of this process can lose it. Never rejects: the beat says it again */
  abstract note(hold: Hold): Promise<void>;

  /**
   * Before a beat reads what all have come to.
   * @returns to be called when that is in the database
   */
  abstract turn(): () => void;
}
