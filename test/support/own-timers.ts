/**
 * The timers that one source file sets, while timers are faked. `jest.getTimerCount` counts those of everything in the
 * process, including leftovers of an earlier test file.
 */
export class OwnTimers {
  private readonly pending = new Set<unknown>();
  private readonly restore: () => void;

  /** @param file its name without extension, as in a stack trace */
  constructor(file: string) {
    const { setTimeout: set, clearTimeout: clear } = globalThis;
    const setOwn = (act: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): unknown => {
      const isOwn = new Error().stack!.includes(`${file}.`);
      const timer = set(() => {
        this.pending.delete(timer);
        act(...args);
      }, ms);
      if (isOwn) this.pending.add(timer);
      return timer;
    };
    const clearOwn = (timer: Parameters<typeof clear>[0]): void => {
      this.pending.delete(timer);
      clear(timer);
    };
    Object.assign(globalThis, { setTimeout: setOwn, clearTimeout: clearOwn });
    this.restore = () => void Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  }

  get count(): number {
    return this.pending.size;
  }

  /** Call before real timers are restored. */
  end(): void {
    this.restore();
  }
}
