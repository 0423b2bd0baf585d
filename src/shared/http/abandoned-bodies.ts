import type { Caller } from '../../core/caller.js';

/** Receives requests whose bodies never arrived completely, to count the wasted work of a key. */
export abstract class AbandonedBodies {
  abstract bodyAbandoned(caller: Caller): void;
}
