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

/** A JSON Schema, as the schemas of fields are written: it joins the DTOs and the description by itself. */
export type OptionsSchema = object;

/** What a guarded fetch may bring. */
export interface FetchLimits {
  readonly bytesMax: number;
  /** For everything together: names, redirects, body. */
  readonly timeoutMs: number;
  /** Media types that may come back; `text/*` is all of its kind. */
  readonly accept: readonly string[];
  readonly redirectsMax: number;
  /** Asked of the address and of each that it redirects to, before it is connected to; absent: all. */
  readonly allows?: (url: string) => boolean;
}

/**
 * Why something outside did not serve. Its message is safe to show: never an address of the operator's, a header or a
 * credential.
 */
export class ExtensionFault extends Error {
  override readonly name = 'ExtensionFault';
  /** It had begun its work, and may bill it: no answer came in time, or one that cannot be used. */
  readonly mayBeBilled: boolean;

  constructor(
    readonly kind:
      | 'refused' // the caller or the operator may not have it: an address that is not allowed, a credential refused
      | 'not-found'
      | 'unsupported' // of another media type
      | 'too-large'
      | 'timed-out'
      | 'busy' // here or there: too many at once
      | 'unavailable', // whatever else
    message: string,
    { mayBeBilled = false, ...options }: ErrorOptions & { readonly mayBeBilled?: boolean } = {},
  ) {
    super(message, options);
    this.mayBeBilled = mayBeBilled;
  }
}

/** Whether anything outside was asked by then: not where it was refused, or there was no room. */
export const wasAsked = ({ kind }: ExtensionFault): boolean => kind !== 'refused' && kind !== 'busy';

export interface FetchedPage {
  /** As it was reached, after redirects. */
  readonly url: string;
  /** Without parameters, lower case. */
  readonly mediaType: string;
  /** Of the text's encoding, as the server says it; lower case. */
  readonly charset?: string;
  readonly bytes: Buffer;
  /** Takes room for so many more that are made of it. @returns false where there is none */
  take(bytes: number): boolean;
  /** Gives back the room that all of it takes in the process: to be called once it is not needed any more. */
  release(): void;
}

/** Fetches what callers name: no address is connected to that was not checked, redirects neither. */
export interface GuardedFetch {
  /** Whether the domains that the account and the key are held to let this address through, engines' results too. */
  allows(url: string): boolean;
  /** @throws ExtensionFault, or the signal's reason */
  fetch(url: string, limits: FetchLimits, signal: CancelSignal): Promise<FetchedPage>;
}

/** A JSON call of an engine, at the address that the operator gave it. */
export interface EngineCall {
  readonly engine: ToolEngine;
  readonly method: 'GET' | 'POST';
  /** Behind the engine's base address, with its query. */
  readonly path: string;
  /** The credential among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly timeoutMs: number;
  readonly bytesMax: number;
  /** The most that its answer costs: what the operator loses where no answer is charged. Absent: nothing. */
  readonly price?: PicoUsd;
  /** Name of the engine, for the metric of such losses. */
  readonly name: string;
}

/** A request to the web, for usage figures. */
export interface WebRequest {
  readonly kind: 'search' | 'fetch';
  /** Name of the engine, in the words of the tool's `engine`. */
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

/** Threads for what takes more than a few milliseconds: one bounded pool of the process. */
export interface WorkerPool {
  /**
   * @param job the name of a job that the workers know
   * @param makeInput gives plain data once a thread is free, so that nobody copies while he waits, or has it made in
   *   turns; binary parts as `Uint8Array`, which are moved: empty here afterwards
   * @throws ExtensionFault `busy` when its queue is full, `timed-out`, `unavailable` when the thread died of it
   */
  run(job: string, makeInput: () => unknown, signal: CancelSignal): Promise<unknown>;
}

/** What a container of a tool holds between two requests: sealed bytes of one key, kept for a while. */
export interface ContainerStore {
  /** @returns undefined where there is none of that id of this caller's key, or its time is over */
  load(id: string, signal: CancelSignal): Promise<Uint8Array | undefined>;
  /**
   * Keeps it from now on for so long. Bytes are never changed after they were loaded or saved: the same array again
   * only lasts longer, and is not written anew.
   * @throws ExtensionFault `too-large` past the size or number that one key may have
   */
  save(id: string, state: Uint8Array, seconds: number, signal: CancelSignal): Promise<void>;
}

/** What files of one account say, kept in memory for a while: the next turn of a conversation sends them again. */
export interface ParsedFileStore {
  /** @param engine who read it @returns undefined where it is not at hand */
  find(hash: string, engine: string): ParsedFile | undefined;
  keep(file: ParsedFile, engine: string): void;
}

/** How a further call is to go. */
export interface PlanOptions {
  /** It ends with this, where that is before its generation does. */
  readonly signal?: CancelSignal;
  /** Uses of all its tools together; absent: each tool has its own limit alone. */
  readonly toolUsesMax?: number;
}

/** A further call of a generation that is planned: nothing is held for it or sent yet. */
export interface PlannedCall {
  /** What it has come to so far, its tools among it. */
  readonly cost: PicoUsd;
  /**
   * Held, settled and told as part of its generation. Once; resolves at the first committing event.
   * @throws GatewayError when nobody answers it, or there is no room for it
   */
  start(): Promise<AsyncIterable<readonly ModelEvent[]>>;
}

/** What a plugin or service tool works with during one generation. It knows neither HTTP nor SQL nor Nest. */
export interface ExtensionContext {
  readonly caller: Caller;
  /** Aborted with the generation: whatever is under way ends. */
  readonly signal: CancelSignal;
  readonly clock: Clock;
  /** The snapshot that the generation is planned with. */
  readonly catalog: CatalogSnapshot;
  /** Only the sandbox answers it, whose tools need no engine outside. */
  readonly isSandbox: boolean;
  /** Models of it that the caller may call, each with the endpoints that he may have, in its order. */
  readonly callable: () => readonly Model[];
  /** Whether the caller is shown what tools bring: the chat format has no place for it. */
  readonly showsResults: boolean;
  /** The request of this generation, with what earlier steps of it brought. */
  readonly request: ModelRequest;
  readonly guardedFetch: GuardedFetch;
  readonly engines: EngineClient;
  /**
   * Charges what somebody outside has answered, at once and however the request ends: all charges of a use together
   * are never above what was reserved for it. Calls of engines that are answered by then are paid with it; what is
   * never charged of them is the operator's.
   * @throws the signal's reason: what nobody is charged for is not to be kept either
   */
  readonly charge: (cost: PicoUsd) => void;
  /** Counts a request to the web in usage, whatever came of it. */
  readonly countWeb: (web: WebRequest) => void;
  readonly workers: WorkerPool;
  readonly containers: ContainerStore;
  readonly parsedFiles: ParsedFileStore;
  /**
   * Room of the process for what a tool keeps until its generation is over, in the share of its key.
   * @returns false where there is none: nothing may be kept
   */
  readonly keep: (bytes: number) => boolean;
  /**
   * What only this gateway can open again, for callers of the same workspace; printable.
   * @param address of what the value is the text of: it opens beside the same `url` alone
   */
  readonly seal: (value: Json, address?: string) => string;
  /**
   * A further call of the same generation, planned as part of it. Its request's tools that this gateway runs are run on
   * the way: their calls and results are among its events.
   * @throws GatewayError where the request may not be sent, or lacks what its tools run on
   */
  plan(request: ModelRequest, kind: ConsultationKind, options?: PlanOptions): Promise<PlannedCall>;
  /** Plans it and starts it. @throws GatewayError as either does */
  infer(request: ModelRequest, kind: ConsultationKind): Promise<AsyncIterable<readonly ModelEvent[]>>;
}
