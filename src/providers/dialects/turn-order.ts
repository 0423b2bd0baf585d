import { blockPath, type Message } from '../../core/conversation/content.js';
import type { Steps } from '../../core/steps.js';
import type { EncodeContext, PathOf } from './encode-context.js';

/** A dialect's output for each turn. `Out` is a message or item. */
export interface TurnForms<Out> {
  /**
   * Encodes a turn that needs no further work, such as a single plain text; undefined: the turn is encoded like the
   * others.
   */
  plain?(message: Message): Out | undefined;
  /** Undefined for a blank turn, and when the rules drop the whole turn. */
  system(message: Message, pathOf: PathOf): Out | undefined;
  assistant(message: Message, pathOf: PathOf): Steps<Out | undefined>;
  /**
   * The results of tools first, then the other blocks (docs/contribute/reasons/translation.md#order-in-a-mixed-turn).
   */
  user(message: Message, pathOf: PathOf): Steps<UserTurn<Out>>;
}

export interface UserTurn<Out> {
  readonly results: readonly Out[];
  readonly rest: readonly Out[];
}

/**
 * Encodes a conversation for formats whose results directly follow the call that they answer. Turns keep their order,
 * but instructions between a call and its results follow the results.
 */
export function* encodeInOrder<Out>(
  context: EncodeContext,
  forms: TurnForms<Out>,
  add: (out: Out) => void,
): Steps<void> {
  let deferred: Out[] = [];
  let awaitsResults = false;
  const release = (): void => {
    if (deferred.length === 0) return;
    deferred.forEach(add);
    deferred = [];
  };
  for (const [index, message] of context.request.messages.entries()) {
    if (context.steps.isOver()) yield;
    const plain = forms.plain?.(message);
    if (plain !== undefined) {
      release();
      awaitsResults = false;
      add(plain);
      continue;
    }
    const pathOf = (blockIndex: number): string => blockPath(message, index, blockIndex);
    switch (message.role) {
      case 'system': {
        const encoded = forms.system(message, pathOf);
        if (encoded === undefined) break;
        if (awaitsResults) deferred.push(encoded);
        else add(encoded);
        break;
      }
      case 'assistant': {
        const encoded = yield* forms.assistant(message, pathOf);
        release();
        if (encoded !== undefined) add(encoded);
        awaitsResults = message.content.some((block) => block.type === 'tool-use');
        break;
      }
      case 'user': {
        const { results, rest } = yield* forms.user(message, pathOf);
        results.forEach(add);
        release();
        rest.forEach(add);
        awaitsResults = false;
        break;
      }
    }
  }
  release();
}
