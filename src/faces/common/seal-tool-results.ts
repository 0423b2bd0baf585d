import type { ServiceToolResult } from '../../core/conversation/event.js';

/** Seals the result of a tool's use, within the given number of characters; undefined where it is longer. */
export type SealUse = ServiceToolResult['seal'];

/** Total for the results of the gateway's tools with one reply, in characters: beyond it the oldest are left out. */
const SEALED_LENGTH_MAX = 256 * 1024;

/**
 * The sealed results of the gateway's tools in a reply that also calls the caller's tools. The client returns them with
 * the results of its own tools.
 * @param seals in the order of the results
 */
export function sealToolResults(seals: readonly SealUse[]): readonly string[] {
  const kept: string[] = [];
  let room = SEALED_LENGTH_MAX;
  for (const seal of seals.toReversed()) {
    const sealed = seal(room);
    if (sealed === undefined) break;
    room -= sealed.length;
    kept.unshift(sealed);
  }
  return kept;
}
