import type { Message } from '../../core/conversation/content.js';
import { StepCounter, type Steps } from '../../core/steps.js';

/** Turns that are kept or removed together. */
export interface Unit {
  /** Indexes of messages; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** Estimated tokens. */
  readonly tokens: number;
  /** Whether the unit begins with a user turn. */
  readonly startsWithUser: boolean;
}

/**
 * Splits a conversation into units: single turns, and tool calls together with their results. @param sizes of the
 * messages, in tokens
 */
export function* listUnits(messages: readonly Message[], sizes: readonly number[]): Steps<readonly Unit[]> {
  const steps = new StepCounter();
  const results = new Map<string, number>();
  for (const [index, { content }] of messages.entries()) {
    if (steps.isOver()) yield;
    for (const block of content) {
      if (block.type !== 'tool-result') continue;
      if (steps.isOver()) yield;
      results.set(block.toolUseId, index);
    }
  }
  const units: Unit[] = [];
  for (let from = 0; from < messages.length;) {
    let to = from + 1;
    let tokens = 0;
    for (let index = from; index < to; index++) {
      if (steps.isOver()) yield;
      tokens += sizes[index]!;
      for (const block of messages[index]!.content) {
        if (block.type !== 'tool-use') continue;
        if (steps.isOver()) yield;
        to = Math.max(to, (results.get(block.id) ?? index) + 1);
      }
    }
    units.push({ from, to, tokens, startsWithUser: messages[from]!.role === 'user' });
    from = to;
  }
  return units;
}
