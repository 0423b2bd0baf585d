import { Injectable } from '@nestjs/common';
import { Cancellation, type CancelSignal } from '../core/cancellation.js';
import { isCommitting, type ModelEvent } from '../core/conversation/event.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { Tool } from '../core/conversation/tools.js';
import { CallerGone, ProviderFault, type Untranslatable } from '../core/errors.js';
import type { Generation } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import type { Json } from '../core/json/json.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { CountedPrompt, FetchedMedia } from '../core/provider.js';
import type { Leg } from '../core/routing/plan.js';
import type { Secret } from '../core/secret.js';
import { left, PullSource, type PullReceiver } from '../core/stream/pull-source.js';
import type { EventBatches, PreparedCall } from '../providers/prepared-call.js';
import type { ToolRun } from '../providers/fitting/fit-tools.js';
import { ProviderClient } from '../providers/provider-client.js';
import { Environment } from '../shared/environment.js';
import { assertAnswers, AwaitedAnswer } from './awaited-answer.js';
import type { RevealCredential } from './route-planner.js';
import { UnseenCalls } from './unseen-calls.js';

/**
 * Milliseconds in which a provider has to end the response after the last event. Chosen: most do so in the same packet,
 * and closing the connection costs the next call a new one.
 */
const CLOSING_MS_MAX = 1_000;

/**
 * The signal of one attempt. It follows the request's signal, unless the caller leaves a call that its provider bills
 * in full. A streamed attempt also has a time limit until the reply is committed.
 */
class Attempt extends Cancellation {
  /** Events up to the commitment. */
  beginning: readonly ModelEvent[] = NO_EVENTS;
  /** True once the reply is committed to its provider. */
  isCommitted = false;
  private readonly timer: NodeJS.Timeout | undefined;

  /** @param firstTimeoutMs limit of the time until the reply is committed; undefined: the attempt has none */
  constructor(
    private readonly parent: CancelSignal,
    private readonly unseen: UnseenCalls,
    private readonly generation: Generation,
    private readonly call: ProviderCall,
    firstTimeoutMs: number | undefined,
  ) {
    super();
    if (firstTimeoutMs !== undefined) this.timer = setTimeout(expire, firstTimeoutMs, this);
    if (parent.aborted) this.abort(parent.reason);
    else parent.addEventListener('abort', this, { once: true });
  }

  /** The request was aborted. */
  handleEvent(): void {
    const { reason } = this.parent;
    const cut = (): void => this.abort(reason);
    if (!(reason instanceof CallerGone && this.unseen.enter(this.generation, this.call, cut))) cut();
  }

  committed(): void {
    this.isCommitted = true;
    clearTimeout(this.timer);
  }

  /** Why it failed. An aborted read fails with an arbitrary error; the reason of the abort counts instead. */
  reasonOf(thrown: unknown): unknown {
    return this.aborted ? this.reason : thrown;
  }

  settle(): void {
    if (this.timer) clearTimeout(this.timer);
    this.parent.removeEventListener('abort', this);
  }
}

const NO_EVENTS: readonly never[] = [];

const expire = (attempt: Attempt): void => {
  attempt.abort(new ProviderFault('timed-out', 'The provider did not begin to answer in time.'));
};

/** The beginning of a reply: its events up to and including the committing one. */
async function untilCommitted(batches: EventBatches, attempt: Attempt): Promise<readonly ModelEvent[]> {
  const beginning: ModelEvent[] = [];
  attempt.beginning = beginning;
  for (;;) {
    const next = await batches.next();
    if (next.done) break;
    for (const event of next.value) beginning.push(event);
    if (next.value.some(isCommitting)) break;
  }
  attempt.committed();
  return beginning;
}

/**
 * A reply whose beginning is known: yields that first, then the rest as it arrives. A whole reply is all beginning. End
 * it by `return`, also at its end.
 */
export class StartedReply extends PullSource<readonly ModelEvent[]> {
  /** The body that was sent to its provider, shortened, without the credential. Undefined: it was not requested. */
  readonly sentBody: Json | undefined;
  private isBegun = false;

  constructor(
    call: PreparedCall,
    readonly beginning: readonly ModelEvent[],
    private readonly rest?: PullSource<readonly ModelEvent[]>,
    private readonly attempt?: Attempt,
  ) {
    super();
    this.sentBody = call.sentBody;
  }

  override pull(receiver: PullReceiver<readonly ModelEvent[]>): void {
    if (!this.isBegun) {
      this.isBegun = true;
      receiver.take(this.beginning);
    } else if (this.rest) this.rest.pull(receiver);
    else receiver.end();
  }

  override return(): Promise<IteratorResult<readonly ModelEvent[], undefined>> {
    this.attempt?.settle();
    return this.rest ? this.rest.return() : left();
  }

  /**
   * Called after the last event, instead of `return`: reads on to the end of the body, so that the connection can be
   * reused. Bounded in time; its failures are ignored.
   */
  drain(): void {
    // A whole reply has no further events.
    if (!this.rest) return;
    this.attempt?.settle();
    const limit = setTimeout(() => void this.return(), CLOSING_MS_MAX);
    const over = (): void => {
      clearTimeout(limit);
      void this.return();
    };
    const listener: PullReceiver<readonly ModelEvent[]> = { take: () => this.pull(listener), end: over, fail: over };
    this.pull(listener);
  }
}

/**
 * Makes one attempt: calls a leg and waits for its first committing event. Each attempt is built from the caller's
 * request, with the credential, address and model name of its target.
 */
@Injectable()
export class AttemptRunner {
  constructor(
    private readonly client: ProviderClient,
    private readonly environment: Environment,
    private readonly unseen: UnseenCalls,
  ) {}

  /**
   * Resolves once the reply is committed, with all its events from the start on; the rest is pulled by the reader. The
   * events of a failed attempt are passed to its call.
   * @param media that the leg needs as bytes
   * @throws ProviderFault, Untranslatable, or the signal's reason
   */
  async run(
    generation: Generation,
    call: ProviderCall,
    media: FetchedMedia,
    reveal: RevealCredential,
    signal: CancelSignal,
  ): Promise<StartedReply> {
    const { leg, traceparent } = call;
    const { request } = call.run;
    call.drops = this.client;
    const onSent = (status?: number): void => {
      call.wasSent = true;
      if (status === undefined) return;
      call.answeredRequests++;
      call.answeredStatus ??= status;
    };
    const { provider, firstTimeoutMs = this.environment.timeouts.firstMs } = leg.endpoint;
    const credential = call.usesSharedCredential ? provider.credential : await ownCredential(leg, reveal);
    const prepared = this.client.prepare(leg, request, credential, media, { onSent, traceparent });
    const attempt = new Attempt(signal, this.unseen, generation, call, request.stream ? firstTimeoutMs : undefined);
    try {
      const batches = request.stream ? await prepared.stream(attempt, () => attempt.isCommitted) : undefined;
      const events = batches ? await untilCommitted(batches, attempt) : await prepared.answer(attempt);
      // Nearly every reply has text.
      let hasText = false;
      for (let index = 0; index < events.length && !hasText; index++) {
        const event = events[index]!;
        hasText = event.type === 'block-delta' && event.delta.type === 'text' && event.delta.text !== '';
      }
      let rest: PullSource<readonly ModelEvent[]> | undefined = batches;
      if (!hasText) {
        attempt.beginning = events;
        if (!batches || events.at(-1)?.type === 'reply-end') await assertAnswers(events, request, batches);
        else rest = new AwaitedAnswer(events, batches, request);
      }
      if (batches) return new StartedReply(prepared, events, rest, attempt);
      attempt.settle();
      return new StartedReply(prepared, events);
    } catch (error) {
      attempt.settle();
      call.observe(attempt.beginning.length > 0 ? attempt.beginning : prepared.billed);
      throw attempt.reasonOf(error);
    }
  }

  /**
   * The provider's own count of the prompt's tokens; undefined where its dialect has none. Nothing is generated or
   * charged.
   * @throws ProviderFault, Untranslatable, or the signal's reason
   */
  async count(
    leg: Leg,
    request: ModelRequest,
    reveal: RevealCredential,
    signal: CancelSignal,
  ): Promise<CountedPrompt | undefined> {
    if (!this.client.canCount(leg.endpoint)) return undefined;
    const usesSharedCredential = leg.credential === SHARED_CREDENTIAL;
    const credential = usesSharedCredential ? leg.endpoint.provider.credential : await ownCredential(leg, reveal);
    return this.client.prepare(leg, request, credential).count(signal);
  }

  /**
   * Why an attempt would fail before anything is sent, because its dialect cannot carry the request; undefined: it can.
   */
  refusalOf(leg: Leg, request: ModelRequest): Promise<Untranslatable | undefined> {
    return this.client.refusalOf(leg, request);
  }

  /** The tools of a request that a leg's vendor runs, as `ProviderClient` reports them. */
  toolRuns(leg: Leg, tools: readonly Tool[]): readonly ToolRun[] {
    return this.client.toolRuns(leg, tools);
  }

  /** Names of the parts of the request that an attempt would not send. */
  droppedBy(leg: Leg, request: ModelRequest): readonly string[] {
    return this.client.droppedBy(leg, request);
  }
}

async function ownCredential({ credential }: Leg, reveal: RevealCredential): Promise<Secret> {
  const revealed = await reveal(credential);
  if (!revealed) throw new ProviderFault('refused-credential', 'The credential is no longer in use.');
  return revealed;
}
