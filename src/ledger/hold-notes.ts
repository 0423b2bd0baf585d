import type { Hold } from './hold.js';
import type { Settlement } from './settlement.js';

/** Writes down at once what an open hold has come to, before the next beat says so of all of them. */
export abstract class HoldNotes {
  /** Brings into the database what the process before this one has noted beside it. Before this one takes holds. */
  abstract restore(): Promise<void>;

  /**
   * @returns when no end of this process can lose it, or when it was refused: by a database that is gone, or a disk
   *   that is full. Never rejects: the beat says it again, and until then the one before counts
   */
  abstract note(hold: Hold): Promise<void>;

  /** What was last noted of a generation, where the database does not have that. */
  abstract unsaid(id: string): Settlement | undefined;

  /**
   * Before a beat reads what all have come to.
   * @returns to be called when that is in the database. Never throws
   */
  abstract turn(): () => void;
}
