import { Injectable } from '@nestjs/common';
import type { CancelSignal } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import { assertToolInputs } from '../core/conversation/tool-input.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { parseJson, printJson } from '../core/exact-json.js';
import { ProviderFault } from '../core/errors.js';
import { outweighs } from '../core/print-in-pieces.js';
import type { Dialect, Target, UpstreamCall } from '../core/provider.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { Leg } from '../core/routing/plan.js';
import type { Secret } from '../core/secret.js';
import { GrammarCheck } from '../core/stream/grammar.js';
import { pump } from '../core/stream/pump.js';
import { SseReader } from '../core/stream/sse.js';
import { chain } from '../core/stream/step.js';
import { withoutCredential } from '../providers/credential-mask.js';
import { credentialHeaders } from '../providers/credentials.js';
import { outgoingHeaders } from '../providers/http-headers.js';
import { ProviderRegistry } from '../providers/registry.js';
import { Transport, type OutgoingCall, type UpstreamResponse } from '../providers/transport.js';
import { Environment } from '../shared/environment.js';
import { LARGE } from '../shared/others-turn.js';
import { MediaFetcher, NO_MEDIA } from './media-fetcher.js';
import { printInTurns } from './print-in-turns.js';
import type { RevealCredential } from './route-planner.js';
import { BegunReply, StreamAttempt, untilTelling, type EventBatches } from './stream-attempt.js';

/** Largest whole reply. */
const REPLY_BYTES_MAX = 64 * 1024 * 1024;
/** Largest reply that tells a count. */
const COUNT_BYTES_MAX = 64 * 1024;
/** As much of an error's body as is read, and as long as it is waited for: the status alone says enough. */
const ERROR_BYTES_MAX = 64 * 1024;
const ERROR_MS_MAX = 2_000;

/** One call that is to be made. */
interface Attempt {
  readonly dialect: Dialect;
  readonly target: Target;
  /** Absent where the provider wants none. */
  readonly credential: Secret | undefined;
  readonly request: ModelRequest;
  /** What was sent, where the caller wants to see it. Dialects, which make bodies, are not given the credential. */
  sentBody?: string;
}

/**
 * Makes one attempt: encode, send, and wait for the first telling event. Each attempt is built afresh from the caller's request,
 * with the credential, address and model name of its own target.
 */
@Injectable()
export class AttemptRunner {
  constructor(
    private readonly providers: ProviderRegistry,
    private readonly transport: Transport,
    private readonly media: MediaFetcher,
    private readonly environment: Environment,
  ) {}

  /**
   * Resolves once the reply is telling, with all its events from the start on; the rest is pulled by whoever iterates.
   * @throws ProviderFault, Untranslatable, or the signal's reason
   */
  async run(leg: Leg, request: ModelRequest, reveal: RevealCredential, signal: CancelSignal): Promise<BegunReply> {
    const credential = isShared(leg) ? leg.endpoint.provider.credential : await ownCredential(leg, reveal);
    const attempt = this.prepare(leg, request, credential);
    try {
      const begun = await (request.stream ? this.runStream(attempt, signal) : this.runWhole(attempt, signal));
      begun.credential = credential;
      if (attempt.sentBody !== undefined) begun.sentBody = attempt.sentBody;
      return begun;
    } catch (error) {
      throw error instanceof ProviderFault ? withoutCredential(error, credential) : error;
    }
  }

  /**
   * The provider's own count of the prompt's tokens; undefined where its dialect has none. Nothing is answered or charged.
   * @throws ProviderFault, Untranslatable, or the signal's reason
   */
  async count(
    leg: Leg,
    request: ModelRequest,
    reveal: RevealCredential,
    signal: CancelSignal,
  ): Promise<number | undefined> {
    const { counting } = this.providers.dialect(leg.endpoint.provider);
    if (!counting) return undefined;
    const credential = isShared(leg) ? leg.endpoint.provider.credential : await ownCredential(leg, reveal);
    const attempt = this.prepare(leg, request, credential);
    const response = await this.post(attempt, counting.encode(request, attempt.target), signal);
    return counting.decode(parse(await response.read(COUNT_BYTES_MAX)));
  }

  private prepare({ model, endpoint, tier }: Leg, request: ModelRequest, credential: Secret | undefined): Attempt {
    const { provider } = endpoint;
    const dialect = this.providers.dialect(provider);
    const target: Target = { model, endpoint, tier, definition: this.providers.definition(provider) };
    return { dialect, target, credential, request };
  }

  private async runWhole(attempt: Attempt, signal: CancelSignal): Promise<BegunReply> {
    const { dialect, target, request } = attempt;
    const response = await this.send(attempt, signal);
    return new BegunReply(decodeWhole(dialect, await response.read(REPLY_BYTES_MAX), target, request));
  }

  private async runStream(attempt: Attempt, signal: CancelSignal): Promise<BegunReply> {
    const { firstTimeoutMs = this.environment.timeouts.firstMs } = attempt.target.endpoint;
    const stream = new StreamAttempt(signal, firstTimeoutMs);
    try {
      return await untilTelling(await this.openStream(attempt, stream), stream);
    } catch (error) {
      stream.settle();
      // A read that was cut short fails with whatever broke it; why it was cut is the reason that counts.
      throw stream.signal.aborted ? stream.signal.reason : error;
    }
  }

  private async openStream(attempt: Attempt, stream: StreamAttempt): Promise<EventBatches> {
    const { dialect, target, request } = attempt;
    const response = await this.send(attempt, stream.signal);
    if (isJson(response)) {
      return new BegunReply(decodeWhole(dialect, await response.read(REPLY_BYTES_MAX), target, request));
    }
    const decoder = chain(chain(new SseReader(), dialect.decodeStream({ request, target })), new GrammarCheck());
    return pump(response.chunks, decoder, () => stream.isTold);
  }

  /** @returns an answer with a 2xx status */
  private async send(attempt: Attempt, signal: CancelSignal): Promise<UpstreamResponse> {
    const { dialect, target, request } = attempt;
    const wants = dialect.wants(request, target);
    const media = wants.length === 0 ? NO_MEDIA : await this.media.fetch(wants, signal);
    return this.post(attempt, dialect.encode(request, target, media), signal);
  }

  /**
   * Not an async function: it would keep what was encoded, once printed, for as long as the provider takes.
   * @returns an answer with a 2xx status
   */
  private post(attempt: Attempt, call: UpstreamCall, signal: CancelSignal): Promise<UpstreamResponse> {
    if (!outweighs(call.body, LARGE)) return this.postPrinted(attempt, call, printJson(call.body), signal);
    return printInTurns(call.body).then((body) => this.postPrinted(attempt, call, body, signal));
  }

  private postPrinted(
    attempt: Attempt,
    call: UpstreamCall,
    body: OutgoingCall['body'],
    signal: CancelSignal,
  ): Promise<UpstreamResponse> {
    const { dialect, target, credential, request } = attempt;
    const { provider } = target.endpoint;
    if (request.echoesUpstreamBody) attempt.sentBody = textOf(body);
    const response = this.transport.open(
      {
        url: provider.baseUrl + call.path,
        headers: outgoingHeaders(call.headers, credentialHeaders(target.definition.credential, credential)),
        body,
        stream: call.stream,
        connectTimeoutMs: this.environment.timeouts.connectMs,
        idleTimeoutMs: this.environment.timeouts.idleMs,
      },
      signal,
    );
    return unlessRefused(response, dialect, signal);
  }
}

async function unlessRefused(
  called: Promise<UpstreamResponse>,
  dialect: Dialect,
  signal: CancelSignal,
): Promise<UpstreamResponse> {
  const response = await called;
  if (response.status >= 200 && response.status < 300) return response;
  const body = await readSome(response, signal);
  throw dialect.fault({ status: response.status, headers: response.headers, body });
}

const textOf = (body: OutgoingCall['body']): string =>
  typeof body === 'string' ? body : Buffer.concat(body).toString('utf8');

const isShared = ({ credential }: Leg): boolean => credential === SHARED_CREDENTIAL;

async function ownCredential({ credential }: Leg, reveal: RevealCredential): Promise<Secret> {
  const revealed = await reveal(credential);
  if (!revealed) throw new ProviderFault('refused-credential', 'The credential is no longer in use.');
  return revealed;
}

function decodeWhole(dialect: Dialect, body: Buffer, target: Target, request: ModelRequest): ModelEvent[] {
  const checked: ModelEvent[] = [];
  const grammar = new GrammarCheck();
  for (const event of dialect.decodeWhole(parse(body), { request, target })) grammar.push(event, checked);
  grammar.end();
  assertToolInputs(checked);
  return checked;
}

function parse(body: Buffer): unknown {
  try {
    return parseJson(body.toString('utf8'));
  } catch (cause) {
    throw new ProviderFault('malformed-reply', "The provider's reply is not JSON.", {}, { cause });
  }
}

/** What there is to read of an error's body, within limits, whether it comes whole or breaks off. */
async function readSome(response: UpstreamResponse, signal: CancelSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const batches = response.chunks[Symbol.asyncIterator]();
  const limit = setTimeout(() => void batches.return?.(), ERROR_MS_MAX);
  try {
    while (bytes < ERROR_BYTES_MAX) {
      const next = await batches.next();
      if (next.done) break;
      for (const chunk of next.value) {
        chunks.push(chunk);
        bytes += chunk.length;
      }
    }
  } catch (error) {
    if (signal.aborted) throw error;
  } finally {
    clearTimeout(limit);
    // Closes the connection of what was not read to its end.
    await batches.return?.();
  }
  return Buffer.concat(chunks).toString('utf8', 0, ERROR_BYTES_MAX);
}

function isJson(response: UpstreamResponse): boolean {
  const type = response.headers['content-type'];
  return typeof type === 'string' && type.toLowerCase().startsWith('application/json');
}
