import type { Caller } from './caller.js';
import type { CancelSignal } from './cancellation.js';
import type { ModelEvent } from './conversation/event.js';
import type { ParsedFile } from './conversation/parsed-file.js';
import type { ModelRequest } from './conversation/request.js';
import type { ConsultationKind } from './conversation/usage.js';
import type { Json, JsonObject } from './json/json.js';
import type { PicoUsd } from './money/credits.js';
import type { CatalogSnapshot, Model, ToolEngine } from './routing/catalog.js';
import type { Clock } from './time.js';

/** A JSON Schema, like the schemas of fields: the DTOs and the description include it automatically. */
export type OptionsSchema = object;

/** The limits of a guarded fetch. */
export interface FetchLimits {
  readonly bytesMax: number;
  /** For everything together: name resolution, redirects, body. */
  readonly timeoutMs: number;
  /** Accepted media types; `text/*` is every text type. */
  readonly accept: readonly string[];
  readonly redirectsMax: number;
  /** Called with the address and each redirect before the connection; absent: all are allowed. */
  readonly allows?: (url: string) => boolean;
}

/**
 * Why an external service did not serve. Its message is safe to show: it never contains an address of the operator's, a
 * header or a credential.
 */
export class ExtensionFault extends Error {
  override readonly name = 'ExtensionFault';
  /** The service had begun its work and may bill it: the answer was late or unusable. */
  readonly mayBeBilled: boolean;
  /** The gateway itself is overloaded; retry after this time, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly kind:
      | 'refused' // not allowed for the caller or the operator: a forbidden address, a refused credential
      | 'not-found'
      | 'unsupported' // another media type
      | 'too-large'
      | 'timed-out'
      | 'busy' // too many calls at once, here or at the service
      | 'unavailable', // any other cause
    message: string,
    {
      mayBeBilled = false,
      retryAfterMs,
      ...options
    }: ErrorOptions & { readonly mayBeBilled?: boolean; readonly retryAfterMs?: number } = {},
  ) {
    super(message, options);
    this.mayBeBilled = mayBeBilled;
    this.retryAfterMs = retryAfterMs;
  }
}

const FULL_RETRY_AFTER_MS = 1_000;

/** The gateway has no capacity for this work at present, as opposed to the service that it calls. */
export const gatewayFull = (message: string, options?: ErrorOptions): ExtensionFault =>
  new ExtensionFault('busy', message, { ...options, retryAfterMs: FULL_RETRY_AFTER_MS });

/**
 * Whether the fault occurred after a request was sent to an external service: not if the request was refused, or if
 * there was no capacity.
 */
export const wasRequested = ({ kind }: ExtensionFault): boolean => kind !== 'refused' && kind !== 'busy';

export interface FetchedPage {
  /** The final address, after redirects. */
  readonly url: string;
  /** Without parameters, lower case. */
  readonly mediaType: string;
  /** Charset of the text, as reported by the server; lower case. */
  readonly charset?: string;
  readonly bytes: Buffer;
  /** Reserves memory for so many more bytes that are derived from it. @returns false where there is none */
  take(bytes: number): boolean;
  /** Releases all memory reserved for it: to be called once it is not needed any more. */
  release(): void;
}

/** Fetches addresses that callers specify: every address is checked before it is connected to, redirects included. */
export interface GuardedFetch {
  /** Whether the domain rules of the account and the key allow this address; applies to results of engines too. */
  allows(url: string): boolean;
  /** @throws ExtensionFault, or the signal's reason */
  fetch(url: string, limits: FetchLimits, signal: CancelSignal): Promise<FetchedPage>;
}

/** A JSON call of an engine, at the address that the operator configured. */
export interface EngineCall {
  readonly engine: ToolEngine;
  readonly method: 'GET' | 'POST';
  /** Appended to the engine's base address, with its query. */
  readonly path: string;
  /** Including the credential. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly timeoutMs: number;
  readonly bytesMax: number;
  /** The highest cost of its answer: the operator's loss where no answer is charged. Absent: none. */
  readonly price?: PicoUsd;
  /** Name of the engine, for the metric of such losses. */
  readonly name: string;
}

/** A request to the web, for usage figures. */
export interface WebRequest {
  readonly kind: 'search' | 'fetch';
  /** Name of the engine, a value of the tool's `engine`. */
  readonly engine: string;
  /** Results that the model reads. */
  readonly results: number;
}

/** Calls engines of service tools and plugins. */
export interface EngineClient {
  /**
   * @param reached is called when the engine is connected: from then on it may bill the call
   * @throws ExtensionFault, or the signal's reason
   */
  call(call: EngineCall, signal: CancelSignal, reached?: () => void): Promise<Json>;
}

/** Worker threads for jobs of more than a few milliseconds: one bounded pool for each process. */
export interface WorkerPool {
  /**
   * @param job the name of a job that the workers know
   * @param makeInput returns plain data once a thread is free, so that no job copies its input while it waits, or
   *   builds it in slices; binary parts as `Uint8Array`, which are moved: empty here afterwards
   * @throws ExtensionFault `busy` when its queue is full, `timed-out`, `unavailable` when the thread died of it
   */
  run(job: string, makeInput: () => unknown, signal: CancelSignal): Promise<unknown>;
}

/** The state of a tool's container between two requests: sealed bytes of one key, stored for a while. */
export interface ContainerStore {
  /** @returns undefined where this caller's key has none of that id, or it has expired */
  load(id: string, signal: CancelSignal): Promise<Uint8Array | undefined>;
  /**
   * Stores it for so many seconds from now. Bytes are never changed after they were loaded or saved: the same array
   * again only lasts longer, and is not written again.
   * @throws ExtensionFault `too-large` past the size or number that one key may have
   */
  save(id: string, state: Uint8Array, seconds: number, signal: CancelSignal): Promise<void>;
}

/** The text of one account's files, cached in memory: the next turn of a conversation sends them again. */
export interface ParsedFileStore {
  /** @param engine that read it @returns undefined where it is not cached */
  find(hash: string, engine: string): ParsedFile | undefined;
  keep(file: ParsedFile, engine: string): void;
}

/** Options of a further call. */
export interface FurtherCallOptions {
  /** Ends the call, where that is before the generation ends. */
  readonly signal?: CancelSignal;
  /** Limit for the uses of all its tools together; absent: each tool has its own limit alone. */
  readonly toolUsesMax?: number;
}

/** A planned further call of a generation: nothing is held for it or sent yet. */
export interface PlannedCall {
  /** Cost of the call so far, including its tools. */
  readonly cost: PicoUsd;
  /**
   * Runs it: held, settled and reported as part of its generation. Callable once; resolves at the first committing
   * event.
   * @throws GatewayError when no provider answers it, or there is no capacity for it
   */
  start(): Promise<AsyncIterable<readonly ModelEvent[]>>;
}

/** The services that a plugin or service tool uses during one generation. Independent of HTTP, SQL and Nest. */
export interface ExtensionContext {
  readonly caller: Caller;
  /** Aborted with the generation: all running work must stop. */
  readonly signal: CancelSignal;
  readonly clock: Clock;
  /** The snapshot that the generation was planned with. */
  readonly catalog: CatalogSnapshot;
  /** Only the sandbox answers it, whose tools need no external engine. */
  readonly isSandbox: boolean;
  /** The models that the caller may call, each with the endpoints that it may use, in catalog order. */
  readonly callable: () => readonly Model[];
  /** Whether the caller receives the results of tools: the chat format has no field for them. */
  readonly showsResults: boolean;
  /** The request of this generation, with the results of its earlier steps. */
  readonly request: ModelRequest;
  readonly guardedFetch: GuardedFetch;
  readonly engines: EngineClient;
  /**
   * Charges the answer of an external service, at once and however the request ends. All charges of a use together
   * never exceed its reservation. A charge also pays for the engine calls that were answered before; calls that are
   * never charged are the operator's cost.
   * @param billed the price of the engine, where it did more than requested: the operator bears the difference
   * @throws the signal's reason: a result that is not charged must not be used either
   */
  readonly charge: (cost: PicoUsd, billed?: PicoUsd) => void;
  /** Counts a request to the web in the usage, whatever its result. */
  readonly countWeb: (web: WebRequest) => void;
  readonly workers: WorkerPool;
  readonly containers: ContainerStore;
  readonly parsedFiles: ParsedFileStore;
  /**
   * Reserves memory of the process for data that a tool keeps until its generation is over, in the share of its key.
   * @returns false where there is none: then nothing may be kept
   */
  readonly keep: (bytes: number) => boolean;
  /**
   * Seals a value so that only this gateway can open it again, for callers of the same workspace; printable.
   * @param address the page whose text the value is: it opens beside the same `url` alone
   */
  readonly seal: (value: Json, address?: string) => string;
  /**
   * Plans a further call of the same generation. Tools of its request that this gateway runs are run during the call:
   * their calls and results are among its events.
   * @throws GatewayError where the request may not be sent, or lacks what its tools need
   */
  plan(request: ModelRequest, kind: ConsultationKind, options?: FurtherCallOptions): Promise<PlannedCall>;
  /** Plans it and starts it. @throws GatewayError as either does */
  infer(request: ModelRequest, kind: ConsultationKind): Promise<AsyncIterable<readonly ModelEvent[]>>;
}
