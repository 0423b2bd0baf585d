import type { Caller } from '../../core/caller.js';

/** Hears of requests whose bodies never came whole, for whoever counts what a key has done for nothing. */
export abstract class AbandonedBodies {
  abstract bodyAbandoned(caller: Caller): void;
}
