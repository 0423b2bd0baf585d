import type { CancelSignal } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { assertToolInputs } from '../core/conversation/tool-input.js';
import { ProviderFault } from '../core/errors.js';
import { parseJson, printJson, weigh, type Json } from '../core/json/json.js';
import { parseWithNumberLists, type NumberLists } from '../core/json/number-lists.js';
import { parseInSteps } from '../core/json/parse-in-steps.js';
import { printInSlices } from '../core/json/print-in-slices.js';
import { shorten } from '../core/json/shorten.js';
import type { CallContext, CallHeaders, PrintedBody } from '../core/platform.js';
import type {
  CallCodec,
  CountedPrompt,
  DecodeContext,
  FetchedMedia,
  Target,
  TokenCounting,
  UpstreamCall,
} from '../core/provider.js';
import type { Secret } from '../core/secret.js';
import { doInSlices, type Steps } from '../core/steps.js';
import { assertGrammar, GrammarCheck } from '../core/stream/grammar.js';
import { toPullSource, type PullSource } from '../core/stream/pull-source.js';
import { pump } from '../core/stream/pump.js';
import { chain } from '../core/stream/stream-stage.js';
import { LARGE, yieldToEventLoop } from '../core/yield-to-event-loop.js';
import type { Environment } from '../shared/environment.js';
import { withoutCredential } from './credential-mask.js';
import { addAuthorisation, addTrace, outgoingHeaders } from './transport/http-headers.js';
import { readRefusal } from './refusal.js';
import type { ProviderAccess } from './registry.js';
import type { OutgoingCall, UpstreamResponse } from './transport/transport.js';
import { unlessAborted } from './media/unless-aborted.js';

/** Largest whole reply. */
const REPLY_BYTES_MAX = 64 * 1024 * 1024;
/** Largest reply with a count. */
const COUNT_BYTES_MAX = 64 * 1024;
/** Events of a whole reply that are emitted at once. */
const BATCH_EVENTS = 500;

const NOTHING: readonly never[] = [];

/** The dependencies of calls. */
export interface CallDependencies {
  readonly timeouts: Pick<Environment['timeouts'], 'connectMs' | 'idleMs'>;
  /** Secrets of proxies, which no message may repeat. */
  readonly proxySecrets: readonly Secret[];
}

/** The observer of a call. */
export interface CallWatch {
  /**
   * Called when the call has been sent completely, so that the provider may bill it. Called once more with the HTTP
   * status of the answer, before its body is read.
   */
  readonly onSent: (status?: number) => void;
  /** Value of the header of this name; absent: the header is not sent. */
  readonly traceparent?: string | undefined;
}

/**
 * The events of one reply, one array for each chunk from the provider. A reader that stops calls `return`, also at the
 * end.
 */
export type EventBatches = PullSource<readonly ModelEvent[]>;

/**
 * One call to a provider. It encodes, prints, addresses, authorises and opens the call, and refuses or reads the
 * answer. For one use of `answer`, `stream` or `count`. Each throws a `ProviderFault` without the credential in it,
 * `Untranslatable`, or the signal's reason.
 */
export class PreparedCall implements CallContext, DecodeContext {
  /** HTTP status of the answer, once there is one. */
  status: number | undefined;
  /**
   * The body that was sent, shortened, where the request wants to show it. It contains no credential, which encoders
   * never receive.
   */
  sentBody: Json | undefined;
  headers: UpstreamResponse['headers'] | undefined;
  numberLists: NumberLists | undefined;
  private authorisation: CallHeaders | undefined;
  /** Whether a forward proxy can read the call, and may answer it. */
  private isPlain = false;

  /** @param codec of its kind of call */
  constructor(
    readonly target: Target,
    readonly request: ModelRequest,
    readonly credential: Secret | undefined,
    protected readonly media: FetchedMedia,
    protected readonly access: ProviderAccess,
    protected readonly dependencies: CallDependencies,
    protected readonly watch?: CallWatch | undefined,
    protected readonly codec: CallCodec = access.dialect,
  ) {}

  /** Usage that a failed call may be billed for in addition; empty: no such usage is known. */
  get billed(): readonly ModelEvent[] {
    return NOTHING;
  }

  /** The events of a whole reply, which obey the grammar; the arguments of its tool calls are JSON objects. */
  async answer(signal: CancelSignal, bytesMax = REPLY_BYTES_MAX): Promise<ModelEvent[]> {
    try {
      const response = await this.begin(signal);
      if (!this.accepts(response)) throw await this.refusal(response, signal);
      return await doInSlices(this.decodeWhole(await response.read(bytesMax)));
    } catch (error) {
      throw this.masked(error);
    }
  }

  /**
   * The events of a streamed reply, as they come; if the provider answers whole, all of its events. Reading throws the
   * same errors as the call, and `malformed-reply` for events that break the grammar.
   * @param keepsPartial whether events in the same chunk as a fault are still wanted
   */
  async stream(signal: CancelSignal, keepsPartial: () => boolean): Promise<EventBatches> {
    try {
      const response = await this.begin(signal);
      if (!this.accepts(response)) throw await this.refusal(response, signal);
      const frames = this.access.platform.frames(response.headers);
      if (!frames)
        return toPullSource(batches(await doInSlices(this.decodeWhole(await response.read(REPLY_BYTES_MAX)))));
      const decoder = new GrammarCheck(chain(frames, this.access.dialect.decodeStream(this)));
      return pump(response.chunks, decoder, { keepsPartial, masked: (error) => this.masked(error) });
    } catch (error) {
      throw this.masked(error);
    }
  }

  /** The provider's own count of the prompt's tokens, for a dialect with one; no answer is generated or charged. */
  async count(signal: CancelSignal): Promise<CountedPrompt> {
    const counting = this.access.dialect.counting!;
    try {
      const response = await this.begin(signal, counting);
      if (!this.accepts(response)) throw await this.refusal(response, signal);
      return counting.decode(parse(await response.read(COUNT_BYTES_MAX)));
    } catch (error) {
      throw this.masked(error);
    }
  }

  /**
   * The error as it may be reported: a fault of this call or its platform without the credential; any other unchanged.
   */
  masked<Thrown>(error: Thrown): Thrown | ProviderFault {
    if (!(error instanceof ProviderFault)) return error;
    // Through a tunnel only the provider can answer.
    const others = this.isPlain ? this.dependencies.proxySecrets : undefined;
    return withoutCredential(error, this.credential, this.authorisation, others);
  }

  // No function from here to `open` is async: its frame would keep the encoded request until the provider answers.

  private begin(signal: CancelSignal, counting?: TokenCounting): Promise<UpstreamResponse> {
    const { platform } = this.access;
    const target = platform.modelOf === undefined ? this.target : this.named(platform.modelOf(this));
    const call = doInSlices(
      counting ? counting.encode(this.request, target) : this.codec.encode(this.request, target, this.media),
    );
    return call instanceof Promise ? call.then((late) => this.post(late, signal)) : this.post(call, signal);
  }

  /** The target with the credential's own name of its model. */
  private named(upstreamModel: string | undefined): Target {
    const { target } = this;
    return upstreamModel === undefined ? target : { ...target, endpoint: { ...target.endpoint, upstreamModel } };
  }

  private post(encoded: UpstreamCall, signal: CancelSignal): Promise<UpstreamResponse> {
    const call = this.access.platform.adapt?.(encoded, this.target) ?? encoded;
    if (this.request.echoesUpstreamBody) this.sentBody = shorten(call.body);
    if (weigh(call.body, LARGE) < LARGE) return this.send(call, printJson(call.body), signal);
    return printInSlices(call.body).then((body) => this.send(call, body, signal));
  }

  private send(call: UpstreamCall, body: PrintedBody, signal: CancelSignal): Promise<UpstreamResponse> {
    const { connectMs: connectTimeoutMs, idleMs: idleTimeoutMs } = this.dependencies.timeouts;
    const headers = outgoingHeaders(call.headers, this.request.fusionDepth);
    const address = this.access.platform.address(this, call);
    const { url, isGuarded } = typeof address === 'string' ? { url: address, isGuarded: undefined } : address;
    const onSent = this.watch?.onSent;
    const outgoing = { url, isGuarded, headers, body, stream: call.stream, connectTimeoutMs, idleTimeoutMs, onSent };
    const authorisation = this.access.platform.authorise(this, outgoing, signal);
    if (!(authorisation instanceof Promise)) return this.open(outgoing, authorisation, signal);
    return unlessAborted(authorisation, signal).then((headers) => this.open(outgoing, headers, signal));
  }

  private open(
    outgoing: OutgoingCall & { readonly headers: Record<string, string> },
    authorisation: CallHeaders,
    signal: CancelSignal,
  ): Promise<UpstreamResponse> {
    this.authorisation = authorisation;
    this.isPlain = outgoing.url.startsWith('http:');
    addAuthorisation(outgoing.headers, authorisation);
    const traceparent = this.watch?.traceparent;
    if (traceparent !== undefined) addTrace(outgoing.headers, traceparent);
    return this.access.transport.open(outgoing, signal);
  }

  private accepts({ status, headers }: UpstreamResponse): boolean {
    this.status = status;
    this.headers = headers;
    // An answer has arrived, so the call was sent even if the transport has not reported it.
    this.watch?.onSent(status);
    return status >= 200 && status < 300;
  }

  private async refusal(response: UpstreamResponse, signal: CancelSignal): Promise<ProviderFault> {
    const failure = await readRefusal(response, signal);
    return this.access.platform.fault?.(failure, this) ?? this.access.dialect.fault(failure);
  }

  private *decodeWhole(body: Buffer): Steps<ModelEvent[]> {
    const isPlain = body.length < LARGE && !this.codec.vectorNames;
    const value = isPlain ? parse(body) : yield* this.parseInSteps(body, this.codec.vectorNames);
    const events = yield* this.codec.decodeWhole(value, this);
    assertGrammar(events);
    let callsTools = false;
    for (const event of events) callsTools ||= event.type === 'block-start' && event.block.type === 'tool-use';
    if (callsTools) yield* assertToolInputs(events, this.request.tools);
    return events;
  }

  private *parseInSteps(body: Buffer, vectorNames: readonly string[] | undefined): Steps<unknown> {
    try {
      if (!vectorNames) return yield* parseInSteps(body);
      const { value, lists } = yield* parseWithNumberLists(body, vectorNames);
      this.numberLists = lists;
      return value;
    } catch (cause) {
      throw notJson(cause);
    }
  }
}

function parse(body: Buffer): unknown {
  try {
    return parseJson(body.toString('utf8'));
  } catch (cause) {
    throw notJson(cause);
  }
}

const notJson = (cause: unknown): ProviderFault =>
  new ProviderFault('malformed-reply', "The provider's reply is not JSON.", {}, { cause });

/** A whole reply as a stream: some events at a time, with other work between them. */
async function* batches(events: readonly ModelEvent[]): AsyncGenerator<readonly ModelEvent[], undefined, undefined> {
  for (let from = 0; from < events.length; from += BATCH_EVENTS) {
    if (from > 0) await yieldToEventLoop();
    yield events.slice(from, from + BATCH_EVENTS);
  }
}
