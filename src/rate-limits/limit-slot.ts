/** One call's claim on the limits of a model. */
export interface LimitSlot {
  /**
   * Gives the slot back and counts the tokens that were really used instead of the reserved ones, if the minute of its
   * admission still lasts. Only the first call has an effect. Never throws.
   * @param tokensUsed prompt and output; absent where unknown: then the reserved ones stay counted
   */
  release(tokensUsed?: number): void;
}

/** The slot where there is no limit. */
export const UNLIMITED: Promise<LimitSlot> = Promise.resolve({ release: () => undefined });

/** A slot that is released once, however often `release` is called. */
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
