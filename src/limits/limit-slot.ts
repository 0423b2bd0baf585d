/** What one call to a model takes of its limits. */
export interface LimitSlot {
  /**
   * Gives the slot back and counts the tokens that were really used instead of the reserved ones, as far as the minute
   * of its admission still lasts. Safe to call twice: only the first call counts. Never throws.
   * @param tokensUsed prompt and output; absent where nobody knows: then the reserved ones stay counted
   */
  release(tokensUsed?: number): void;
}

/** Where there is no limit. */
export const UNLIMITED: Promise<LimitSlot> = Promise.resolve({ release: () => undefined });

/** A slot that is released once, whatever the number of calls. */
export function releasableSlot(onRelease: LimitSlot['release']): LimitSlot {
  let isReleased = false;
  return {
    release(tokensUsed) {
      if (isReleased) return;
      isReleased = true;
      onRelease(tokensUsed);
    },
  };
}
