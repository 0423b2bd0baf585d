import { Observable } from 'rxjs';

/** Says whether the reader can take more. One per reply. */
export class Pace {
  private held = false;
  private wake: (() => void) | undefined;

  get isHeld(): boolean {
    return this.held;
  }

  hold(): void {
    this.held = true;
  }

  release(): void {
    this.held = false;
    this.wake?.();
    this.wake = undefined;
  }

  /** Resolves when the reader takes more. */
  ready(): Promise<void> {
    return this.held ? new Promise((resolve) => (this.wake = resolve)) : Promise.resolve();
  }
}

/**
 * Emits as fast as the reader allows: while the pace is held the source is not pulled. Unsubscribing closes the source once it is
 * idle; a source that is waiting must be ended by its own signal, for a generator cannot be interrupted while it awaits.
 */
export function observe<T>(source: AsyncIterable<T>, pace: Pace): Observable<T> {
  return new Observable<T>((subscriber) => {
    const run = async (): Promise<void> => {
      for await (const item of source) {
        subscriber.next(item);
        if (pace.isHeld) await pace.ready();
        // Nothing more is asked of the source for a reader who has left, or could not use what it was given.
        if (subscriber.closed) return;
      }
      subscriber.complete();
    };
    run().catch((error: unknown) => subscriber.error(error));
    return () => pace.release();
  });
}
