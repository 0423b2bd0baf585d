const SECOND_MS = 1_000;

/**
 * Rate-limits a value that anyone may request and that takes milliseconds to compute: beyond the rate the last value is
 * returned again, so that no client can keep the process busy with it.
 */
export class RateLimitedValue<T> {
  private beganAt = -Infinity;
  private made = 0;
  private last: Promise<T> | undefined;

  /**
   * @param perSecond limit of computations per second
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
