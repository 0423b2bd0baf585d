/** Delay of a timer, in milliseconds, from which the process counts as delayed. Chosen. */
const LATE_MS = 20;

/** An answer that did not come in time. It may still come. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** Is notified of how the wait ended. */
export interface WaitObserver {
  answered(): void;
  /** The answer was a failure, or did not come in time. */
  failed(): void;
}

/**
 * Waits for an answer. A process that was delayed meanwhile, by the system or by its own work, has not read its sockets
 * for that long: it reads them first, and waits once more if the answer is not there.
 * @param ms longest wait of a process that is not delayed, in milliseconds
 * @param observer called before the waiting caller continues
 * @throws Unanswered, or what the answer rejects with
 */
export function boundedWait<T>(answer: Promise<T>, ms: number, observer: WaitObserver): Promise<T> {
  return new Promise((resolve, reject) => {
    let isSettled = false;
    let mayExtend = true;
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      const dueAt = performance.now() + ms;
      timer = setTimeout(() => {
        const wasDelayed = performance.now() - dueAt > LATE_MS;
        // Timers run before sockets: what has arrived is read before this runs.
        setImmediate(() => {
          if (isSettled) return;
          if (wasDelayed && mayExtend) {
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
