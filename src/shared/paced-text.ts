/** A tenth of the process's time where it takes four milliseconds, as metrics of a few providers do. */
const MADE_A_SECOND_MAX = 25;
const SECOND_MS = 1_000;

/**
 * A text that anyone may ask for, and that takes milliseconds to make: whoever asks more often than so many times a
 * second is told the last one again, so that nobody keeps the process busy with it.
 */
export class PacedText {
  private beganAt = -Infinity;
  private made = 0;
  private last: Promise<string> | undefined;

  /** @param now milliseconds that only grow */
  constructor(
    private readonly make: () => Promise<string>,
    private readonly now = (): number => performance.now(),
  ) {}

  text(): Promise<string> {
    const now = this.now();
    if (now - this.beganAt >= SECOND_MS) {
      this.beganAt = now;
      this.made = 0;
    }
    if (!this.last || this.made < MADE_A_SECOND_MAX) {
      this.made++;
      this.last = this.make();
    }
    return this.last;
  }
}
