/** Hears that a `CancelSignal` was aborted. */
export type AbortListener = (() => void) | { handleEvent(): void };

/**
 * Tells work that is under way to stop, and why: as much of the platform's `AbortSignal` as is used; every one
 * of those is one of these.
 */
export interface CancelSignal {
  readonly aborted: boolean;
  /** Why; what is thrown. */
  readonly reason: Error;
  throwIfAborted(): void;
  /** Not to be given one that is aborted already. */
  addEventListener(type: 'abort', listener: AbortListener, options: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: AbortListener): void;
}

/**
 * The `AbortController` of one request, and its signal. The platform's own changes the prototype of each signal it
 * makes, and what is so changed is not collected young (docs/decisions/0014, 0022).
 */
export class Cancellation implements CancelSignal {
  aborted = false;
  private why: Error | undefined;
  private listeners: AbortListener[] = [];

  get signal(): CancelSignal {
    return this;
  }

  get reason(): Error {
    return this.why!;
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.why!;
  }

  addEventListener(_type: 'abort', listener: AbortListener): void {
    this.listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: AbortListener): void {
    const place = this.listeners.indexOf(listener);
    if (place !== -1) this.listeners.splice(place, 1);
  }

  /** Tells every listener, once. Further reasons are not heard. */
  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.why = reason;
    const listeners = this.listeners;
    this.listeners = [];
    for (const listener of listeners) {
      if (typeof listener === 'function') listener();
      else listener.handleEvent();
    }
  }
}

/** For what takes the platform's own signals alone. */
export function toAbortSignal(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
  return controller.signal;
}
