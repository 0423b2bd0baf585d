/** How late a timer may fire, in milliseconds, before the process counts as held up meanwhile. Chosen. */
const LATE_MS = 20;

/** An answer that did not come in time. It may come yet. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** Who is to know how the wait ended. */
export interface WaitObserver {
  answered(): void;
  /** The answer was a failure, or did not come in time. */
  failed(): void;
}

/**
 * Waits for an answer. A process that was held up meanwhile, by the system or by work of its own, has not listened for
 * that long: it reads what lies in its sockets first, and waits once more where the answer is not among that.
 * @param ms longest wait of a process that is not held up, in milliseconds
 * @param observer called before whoever waits goes on
 * @throws Unanswered, or what the answer rejects with
 */
export function inTime<T>(answer: Promise<T>, ms: number, observer: WaitObserver): Promise<T> {
  return new Promise((resolve, reject) => {
    let isSettled = false;
    let mayExtend = true;
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      const dueAt = performance.now() + ms;
      timer = setTimeout(() => {
        const wasHeldUp = performance.now() - dueAt > LATE_MS;
        // Timers come before sockets: what has arrived is read before this runs.
        setImmediate(() => {
          if (isSettled) return;
          if (wasHeldUp && mayExtend) {
            mayExtend = false;
            wait();
            return;
          }
          isSettled = true;
          observer.failed();
          reject(new Unanswered());
        });
      }, ms);
    };
    wait();
    answer.then(
      (value) => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        observer.answered();
        resolve(value);
      },
      () => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        observer.failed();
        resolve(answer);
      },
    );
  });
}
