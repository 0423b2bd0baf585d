import type { CancelSignal } from '../../core/cancellation.js';

/**
 * The result of the work, or the signal's reason as soon as it is aborted. The work itself, which others may share,
 * continues.
 */
export function unlessAborted<Result>(work: Promise<Result>, signal: CancelSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
