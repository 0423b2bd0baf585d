const SECOND_MS = 1_000;

/**
 * What anyone may ask for, and takes milliseconds to make: whoever asks more often than so many times a second is told
 * the last one again, so that nobody keeps the process busy with it.
 */
export class Rationed<T> {
  private beganAt = -Infinity;
  private made = 0;
  private last: Promise<T> | undefined;

  /**
   * @param perSecond most times a second that it is made
   * @param now milliseconds that only grow
   */
  constructor(
    private readonly make: () => Promise<T>,
    private readonly perSecond: number,
    private readonly now = (): number => performance.now(),
  ) {}

  latest(): Promise<T> {
    const now = this.now();
    if (now - this.beganAt >= SECOND_MS) {
      this.beganAt = now;
      this.made = 0;
    }
    if (!this.last || this.made < this.perSecond) {
      this.made++;
      this.last = this.make();
    }
    return this.last;
  }
}
