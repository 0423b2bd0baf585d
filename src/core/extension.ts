import type { Caller } from './caller.js';
import type { CancelSignal } from './cancellation.js';
import type { ModelEvent } from './conversation/event.js';
import type { ModelRequest } from './conversation/request.js';
import type { Json } from './json/json.js';
import type { CatalogSnapshot } from './routing/catalog.js';
import type { Clock } from './time.js';

/** A JSON Schema, as the schemas of fields are written: it joins the DTOs and the description by itself. */
export type OptionsSchema = object;

/** What a guarded fetch may bring. */
export interface FetchLimits {
  readonly bytesMax: number;
  /** For everything together: names, redirects, body. */
  readonly timeoutMs: number;
  /** Media types that may come back. */
  readonly accept: readonly string[];
  readonly redirectsMax: number;
}

/** Fetches what callers name: no address is connected to that was not checked, redirects neither. */
export interface GuardedFetch {
  fetch(
    url: string,
    limits: FetchLimits,
    signal: CancelSignal,
  ): Promise<{ readonly mediaType: string; readonly bytes: Buffer }>;
}

/** Threads for what takes more than a few milliseconds: one bounded pool of the process. */
export interface WorkerPool {
  /** @param job the name of a job that the workers know @throws GatewayError `unavailable` when its queue is full */
  run(job: string, input: Json, signal: CancelSignal): Promise<Json>;
}

/** What a plugin or service tool works with during one generation. It knows neither HTTP nor SQL nor Nest. */
export interface ExtensionContext {
  readonly caller: Caller;
  /** Aborted with the generation: whatever is under way ends. */
  readonly signal: CancelSignal;
  readonly clock: Clock;
  /** The snapshot that the generation is planned with. */
  readonly catalog: CatalogSnapshot;
  readonly guardedFetch: GuardedFetch;
  readonly workers: WorkerPool;
  /**
   * A further call of the same generation: planned, held, settled and told as part of it. Resolves at
   * the first committing event.
   * @throws GatewayError when nobody answers it, or there is no room for it
   */
  infer(request: ModelRequest): Promise<AsyncIterable<readonly ModelEvent[]>>;
}
