import type { Hold } from './hold.js';
import type { Settlement } from './settlement.js';

/** Writes the progress of an open hold at once, before the next heartbeat writes that of all. */
export abstract class HoldNotes {
  /** Writes the notes of the previous process into the database. Runs before this one takes holds. */
  abstract restore(): Promise<void>;

  /**
   * @returns when the end of this process can no longer lose it, or when it was refused: by an unavailable database or
   *   a full disk. Never rejects: the next heartbeat writes it again, and until then the one before counts
   */
  abstract note(hold: Hold): Promise<void>;

  /** The last note of a generation that the database does not have yet. */
  abstract pendingNote(id: string): Settlement | undefined;

  /**
   * Must be called before a heartbeat reads the progress of all open holds.
   * @returns a function that must be called when that is in the database. Never throws
   */
  abstract switchFiles(): () => void;
}
