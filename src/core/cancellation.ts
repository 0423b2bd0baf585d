/** Is notified when a `CancelSignal` is aborted. */
export type AbortListener = (() => void) | { handleEvent(): void };

/**
 * Stops running work, with a reason: the part of the platform's `AbortSignal` that is used; every `AbortSignal` is one
 * of these.
 */
export interface CancelSignal {
  readonly aborted: boolean;
  /** The reason, which is thrown. */
  readonly reason: Error;
  throwIfAborted(): void;
  /** Must not be called on an aborted signal. */
  addEventListener(type: 'abort', listener: AbortListener, options: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: AbortListener): void;
}

/**
 * The `AbortController` of one request, and its signal. The platform's own changes the prototype of each signal that it
 * makes, and such objects are not collected young (docs/contribute/decisions/0087, 0022).
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
    const index = this.listeners.indexOf(listener);
    if (index !== -1) this.listeners.splice(index, 1);
  }

  /** Notifies every listener, once. Further reasons are ignored. */
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

/** For APIs that accept only the platform's own signals. */
export function toAbortSignal(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
  return controller.signal;
}
