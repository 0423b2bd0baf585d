/** What one call to a model takes of its limits. */
export interface ModelSlot {
  /**
   * Gives the slot back and counts the tokens that were really used instead of the reserved ones, as far as the minute
   * of its admission still lasts. Safe to call twice: only the first call counts. Never throws.
   * @param tokensUsed prompt and output; absent where nobody knows: then the reserved ones stay counted
   */
  leave(tokensUsed?: number): void;
}

/** A slot that can be left once, whatever the number of calls. */
export function slotLeftBy(leave: ModelSlot['leave']): ModelSlot {
  let isLeft = false;
  return {
    leave(tokensUsed) {
      if (isLeft) return;
      isLeft = true;
      leave(tokensUsed);
    },
  };
}
