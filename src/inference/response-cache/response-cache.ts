import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Cancellation, type CancelSignal } from '../../core/cancellation.js';
import type { ModelEvent } from '../../core/conversation/event.js';
import { CallerGone, GatewayError } from '../../core/errors.js';
import type { CachedAnswer, CacheTerms } from '../../core/generation/cached-answer.js';
import type { Generation } from '../../core/generation/generation.js';
import type { Bill } from '../../core/money/bill.js';
import { dialectOf } from '../../core/routing/catalog.js';
import type { PullSource } from '../../core/stream/pull-source.js';
import { KeptReplies, type CachedReply } from '../../kept-replies/kept-replies.service.js';
import type { ReplyClaim } from '../../kept-replies/reply-claim.js';
import type { LogReader, ReplyLog } from '../../kept-replies/reply-log.js';
import { Environment } from '../../shared/environment.js';
import { RefusalRecords } from '../refusal-records.js';
import { StoragePermission } from '../storage-permission.js';
import { CachedEvents, RecordedEvents } from './cached-events.js';
import { NOTHING_USED } from './event-lines.js';

type Events = PullSource<readonly ModelEvent[]>;

/** Runs the request itself. */
type Run = (signal: CancelSignal) => Promise<Events>;

const NO_COST = { prompt: 0n, completion: 0n, tools: 0n, total: 0n } as const;
const FREE: Bill = { isByok: false, cost: 0n, byokCost: 0n, list: NO_COST, rate: undefined, beyondPlan: 0n };

/**
 * Answers equal requests of one key with the reply to the first of them, for a while: without a call, a hold or a
 * charge. A cache that does not answer is no reason to refuse a request.
 */
@Injectable()
export class ResponseCache {
  private readonly logger = new Logger('response-cache');

  constructor(
    private readonly replies: KeptReplies,
    private readonly retention: StoragePermission,
    private readonly records: RefusalRecords,
    private readonly environment: Environment,
  ) {}

  /** The reply to the request from the cache, or, where it has none, by running it. */
  async answer(generation: Generation, terms: CacheTerms, signal: CancelSignal, run: Run): Promise<Events> {
    const found = await this.find(generation, terms);
    if (!found) return run(signal);
    if (found.isFirst) return this.fill(generation, found.log, terms, signal, run);
    const events = await this.join(generation, found, signal);
    if (events) return events;
    // The request that was under way has failed, or its reply is too large: this one runs by itself.
    generation.cache = missOf(terms);
    return run(signal);
  }

  /** The reply of another request, once it has begun. Undefined: it has none that is kept. */
  private async join(generation: Generation, found: CachedReply, signal: CancelSignal): Promise<Events | undefined> {
    signal.throwIfAborted();
    // A reader from now on: a reply without readers is not followed elsewhere, nor continued without its client.
    const reader = found.log.reader();
    if (!reader) return undefined;
    const leave = (): void => void reader.return();
    signal.addEventListener('abort', leave, { once: true });
    await found.log.begun();
    signal.throwIfAborted();
    signal.removeEventListener('abort', leave);
    const answer = found.log.head?.answer;
    if (answer) return this.replay(generation, found, answer, reader);
    leave();
    return undefined;
  }

  /** Undefined: the cache takes no part in this request. */
  private async find(generation: Generation, terms: CacheTerms): Promise<CachedReply | undefined> {
    const { caller } = generation;
    const { fingerprint, ttlSeconds, clears, shares } = terms;
    if (generation.request.preferences.zeroDataRetention === true) return undefined;
    try {
      const { mayKeep, state } = await this.retention.of(caller);
      if (!mayKeep) return undefined;
      // A reply that was stored under other rules of the caller, or for a former secret of the key, is not replayed.
      const { betas } = generation.request;
      const rules = [state, caller.allowedModels ?? null, caller.egress ?? null, caller.secretHash ?? null, ...betas];
      const name = createHash('sha256')
        .update(`${fingerprint}\n${JSON.stringify(rules)}`)
        .digest('hex');
      const ttlAfterEndMs = ttlSeconds * 1000;
      const ttlMs = this.environment.timeouts.totalMs + ttlAfterEndMs;
      const claim: ReplyClaim = {
        caller,
        kind: 'cache',
        name,
        fingerprint,
        mayKeep,
        resumable: false,
        ttlMs,
        ttlAfterEndMs,
      };
      const found = await this.replies.claimCached(claim, { clears, shares });
      if (!found || found.isFirst) generation.cache = missOf(terms);
      return found;
    } catch (error) {
      this.logger.warn(error);
      return undefined;
    }
  }

  /** Runs the request, and stores its reply. */
  private async fill(
    generation: Generation,
    log: ReplyLog,
    { shares }: CacheTerms,
    signal: CancelSignal,
    run: Run,
  ): Promise<Events> {
    log.generationId = generation.id;
    try {
      const events = await run(shares ? withoutLeaving(signal, log) : signal);
      const answer = answerOf(generation);
      if (!answer) throw new Error('A reply without an answering call cannot be cached.');
      log.open({ isStream: generation.request.stream, warnings: [], answer });
      const onEnd = async (failure?: unknown): Promise<void> => {
        // Zero data retention may be required since the request began.
        if (!(await this.retention.isAllowed(generation.caller).catch(() => true))) log.drop();
        if (failure === undefined) await this.replies.complete(log);
        else await this.replies.withdraw(log, { kind: 'failed', error: failure });
      };
      return new RecordedEvents(events, { log, hasOtherReaders: shares, onEnd });
    } catch (error) {
      await this.replies.withdraw(log, { kind: 'failed', error });
      throw error;
    }
  }

  private replay(
    generation: Generation,
    { log, ageMs, expiresInMs }: CachedReply,
    answer: CachedAnswer,
    reader: LogReader,
  ): Events {
    const isHit = log.end?.kind === 'complete';
    generation.cached = answer;
    generation.bill = FREE;
    generation.charged = NOTHING_USED;
    generation.cache = {
      status: isHit ? 'HIT' : 'SHARED',
      ageSeconds: isHit ? Math.floor(ageMs / 1000) : undefined,
      leftSeconds: Math.max(0, Math.ceil(expiresInMs / 1000)),
      sourceId: answer.sourceId,
    };
    const ended = async (): Promise<void> => {
      await generation.end('completed');
      // Written without waiting, because nothing is charged.
      void this.records.record(generation);
    };
    return new CachedEvents(reader, {
      used: (usage) => (generation.charged = usage),
      ended,
      failed: (reason) => {
        const failure = asFailure(reason);
        generation.fail(failure).then(
          () => void this.records.record(generation),
          (error: unknown) => this.logger.error(error),
        );
        return failure;
      },
    });
  }
}

const asFailure = (reason: unknown): GatewayError =>
  reason instanceof GatewayError
    ? reason
    : new GatewayError('upstream-failed', 'The request that this one shared has failed.', {}, { cause: reason });

const missOf = ({ ttlSeconds }: CacheTerms): NonNullable<Generation['cache']> => ({
  status: 'MISS',
  ageSeconds: undefined,
  leftSeconds: ttlSeconds,
  sourceId: undefined,
});

/** The answer of a generation that a provider answers. */
function answerOf({ id, answer }: Generation): CachedAnswer | undefined {
  if (!answer) return undefined;
  const { model, endpoint, tag } = answer.leg;
  return {
    sourceId: id,
    model: model.id,
    upstreamModel: endpoint.upstreamModel,
    provider: endpoint.provider.slug,
    providerName: endpoint.provider.name,
    endpoint: tag,
    dialect: dialectOf(endpoint),
  };
}

/** A copy of the signal that ignores a client that disconnects until no other reads the reply. */
function withoutLeaving(signal: CancelSignal, log: ReplyLog): CancelSignal {
  const abort = new Cancellation();
  const pass = (): void => {
    const stop = (): void => abort.abort(signal.reason);
    if (signal.reason instanceof CallerGone && log.isRead) log.onUnread = stop;
    else stop();
  };
  if (signal.aborted) pass();
  else signal.addEventListener('abort', pass, { once: true });
  return abort;
}
