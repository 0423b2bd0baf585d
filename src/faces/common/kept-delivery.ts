import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { Cancellation } from '../../core/cancellation.js';
import { readReply } from '../../core/conversation/reply.js';
import { CallerGone, GatewayError, withMetadata } from '../../core/errors.js';
import { CutShort } from '../../core/generation/ending.js';
import type { GenerationStart } from '../../core/generation/generation.js';
import { newGenerationId, newUuid, type GenerationId } from '../../core/ids.js';
import { printInSlices } from '../../core/json/print-in-slices.js';
import { doInSlices } from '../../core/steps.js';
import { Clock, DAY_MS, MINUTE_MS } from '../../core/time.js';
import { printWarning } from '../../core/warning.js';
import { CreateCompletion, type AcceptedGeneration } from '../../inference/create-completion.js';
import { StoragePermission } from '../../inference/storage-permission.js';
import { KeptReplies } from '../../kept-replies/kept-replies.service.js';
import { hashName, type ReplyClaim } from '../../kept-replies/reply-claim.js';
import type { ReplyHead, ReplyLog } from '../../kept-replies/reply-log.js';
import type { NamingBody, PresetRequest } from '../../presets/preset.guard.js';
import { Environment } from '../../shared/environment.js';
import { asGatewayError } from '../../shared/http/as-gateway-error.js';
import { withDocsAddress } from '../../shared/http/own-address.js';
import { logReply } from '../../shared/http/request-log.js';
import { Metrics } from '../../shared/telemetry/metrics.js';
import type { Face, Inference, WholeFace } from './face.js';
import { EventIds } from './event-ids.js';
import { KeptReading } from './kept-reading.js';
import { cacheHeaders, fingerprintOf, readCacheOptions, withCache, type CacheOptions } from './read-cache.js';
import { costOf, printed } from './reply-errors.js';
import { originOf } from './read-headers.js';
import { readIdempotencyOptions, REPLAY_HEADER, type IdempotencyOptions } from './read-idempotency.js';

/** How long a reply is delivered again for its key, from the first request on. */
const KEY_TTL_MS = DAY_MS;
/** How long a stream can be resumed after its end. */
export const RESUMABLE_MS = 5 * MINUTE_MS;

/** The first request with its idempotency key, or a resumable one. */
interface KeptRequest {
  readonly start: GenerationStart;
  readonly response: Response;
  readonly face: Face | WholeFace;
  readonly isStream: boolean;
  readonly isResumable: boolean;
  readonly cacheOptions: CacheOptions | undefined;
}

/** A claim of a request, which has the id of its generation before it runs. */
type RequestClaim = ReplyClaim & { readonly generationId: GenerationId };

/** A request that runs and writes its reply to a log. */
interface Running extends AcceptedGeneration, Omit<KeptRequest, 'start' | 'isResumable'> {
  readonly log: ReplyLog;
  /** Absent: its events have no ids. */
  readonly numbers: EventIds | undefined;
}

/**
 * Delivers replies that may be delivered again. The request runs independently of its client and writes its reply to a
 * log. Its client reads that log, and so does each client that repeats the request or resumes the stream. The request
 * therefore continues when its client disconnects, and a slow reader does not delay the others.
 */
@Injectable()
export class KeptDelivery {
  private readonly logger = new Logger('kept-replies');
  /** Requests under way, each with the response to its own client. */
  private readonly running = new Map<Cancellation, Response>();
  private waiting: (() => void)[] = [];

  constructor(
    private readonly completions: CreateCompletion,
    private readonly replies: KeptReplies,
    private readonly permission: StoragePermission,
    private readonly environment: Environment,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {}

  /** The number of requests under way whose client has disconnected. */
  get size(): number {
    let left = 0;
    for (const { destroyed } of this.running.values()) if (destroyed) left++;
    return left;
  }

  /** Resolves when no request is under way. */
  idle(): Promise<void> {
    return this.running.size === 0 ? Promise.resolve() : new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Ends every request under way: the process is stopping. */
  abortAll(reason: CutShort): void {
    for (const abort of this.running.keys()) abort.abort(reason);
  }

  /** Resolves when the reply or its failure has been sent; never rejects. */
  async deliver(response: Response, inference: Inference): Promise<void> {
    const { request, face } = inference;
    const isStream = request.stream && 'printer' in face;
    const reading = new KeptReading(response, { isStream, environment: this.environment, metrics: this.metrics });
    try {
      const options = readIdempotencyOptions(response.req.headers);
      const cacheOptions = readCacheOptions(response.req.headers, request.preset?.cache);
      const origin = originOf(response);
      const plain: GenerationStart = { ...inference, origin };
      const start = cacheOptions ? await withCache(plain, cacheOptions, response) : plain;
      const claim = await this.claimOf(inference, options, response.req as PresetRequest);
      for (;;) {
        const { log, isFirst } = await this.replies.claim(claim);
        if (isFirst) {
          const reply = reading.read(log);
          this.run(log, {
            start: { ...start, id: claim.generationId },
            cacheOptions,
            response,
            face,
            isStream,
            isResumable: claim.resumable,
          });
          await reply;
          return;
        }
        if (!response.headersSent) response.setHeader(REPLAY_HEADER, 'true');
        if ((await reading.read(log)) === 'sent') return;
        // The first request was refused elsewhere: this one may be the first.
        if (!response.headersSent) response.removeHeader(REPLAY_HEADER);
      }
    } catch (error) {
      reading.fail(error);
    }
  }

  /**
   * Answers a request that names a preset and repeats an earlier one with the first reply, whatever the preset is now.
   * @returns false where it repeats none, and has to run
   * @throws the fault of its preset, where it repeats none; GatewayError as `KeptReplies.claim`
   */
  async repeat(
    { caller, headers }: PresetRequest,
    { api, body, fault }: NamingBody,
    response: Response,
  ): Promise<boolean> {
    const { key } = readIdempotencyOptions(headers);
    const log = await this.replies.find({
      caller,
      kind: 'idempotency',
      name: hashName(key ?? ''),
      fingerprint: await fingerprintOf(api, body),
      mayKeep: await this.permission.isAllowed(caller),
    });
    const reader = log?.reader();
    await log?.begun();
    void reader?.return();
    if (!log || log.end?.kind === 'withdrawn') {
      if (fault !== undefined) throw fault;
      return false;
    }
    response.setHeader(REPLAY_HEADER, 'true');
    void this.replay(response, log, body['stream'] === true);
    return true;
  }

  private async replay(response: Response, log: ReplyLog, isStream: boolean): Promise<void> {
    const reading = new KeptReading(response, { isStream, environment: this.environment, metrics: this.metrics });
    try {
      await reading.read(log);
    } catch (error) {
      reading.fail(error);
    }
  }

  private async claimOf(inference: Inference, options: IdempotencyOptions, sent: PresetRequest): Promise<RequestClaim> {
    const { request, caller, face, api } = inference;
    const { key } = options;
    const resumable = options.resumable && request.stream && 'printer' in face;
    return {
      caller,
      kind: key === undefined ? 'stream' : 'idempotency',
      name: hashName(key ?? newUuid(this.clock.now())),
      fingerprint: await fingerprintOf(api, (sent.naming?.body ?? sent.body) as object),
      generationId: newGenerationId(this.clock.now()),
      mayKeep: request.preferences.zeroDataRetention !== true && (await this.permission.isAllowed(caller)),
      resumable,
      ...(key === undefined
        ? { ttlMs: this.environment.timeouts.totalMs + RESUMABLE_MS, ttlAfterEndMs: RESUMABLE_MS }
        : { ttlMs: KEY_TTL_MS }),
    };
  }

  /** Begins the request, and lets it write its reply. */
  private run(log: ReplyLog, { start, isResumable, ...sent }: KeptRequest): void {
    const abort = new Cancellation();
    log.onAbandoned = () => abort.abort(new CallerGone());
    if (!log.isKept && !log.isRead) log.onAbandoned();
    const late = new CutShort('deadline', 'timed-out', 'The request took longer than this gateway allows.');
    const deadline = setTimeout(() => abort.abort(late), this.environment.timeouts.totalMs);
    this.running.set(abort, sent.response);
    const accepted = this.completions.begin(start, abort);
    logReply(sent.response, accepted.generation);
    const numbers = isResumable ? new EventIds() : undefined;
    const over = (): void => {
      clearTimeout(deadline);
      this.running.delete(abort);
      if (this.running.size > 0) return;
      const { waiting } = this;
      this.waiting = [];
      for (const resolve of waiting) resolve();
    };
    void this.write({ ...accepted, ...sent, log, numbers })
      .catch((error: unknown) => this.logger.error(error))
      .finally(over);
  }

  private async write(running: Running): Promise<void> {
    const { log, generation } = running;
    try {
      if (running.isStream) await this.writeStream(running, running.face as Face);
      else await this.writeWhole(running);
      await this.dropForbidden(running);
      await this.replies.complete(log);
    } catch (error) {
      generation.failDelivery(error);
      await this.writeFailure(running, error);
    }
  }

  /** Zero data retention may be required since the request began. */
  private async dropForbidden({ log, generation }: Running): Promise<void> {
    if (!log.isKept || (await this.permission.isAllowed(generation.caller).catch(() => true))) return;
    // The request has run to its end, so that nothing is aborted.
    log.onAbandoned = undefined;
    log.drop();
  }

  private async writeStream({ log, generation, reply, numbers, cacheOptions }: Running, face: Face): Promise<void> {
    const events = await reply;
    const printer = face.printer(generation);
    const endOf = (message: string): string =>
      (face.lost ?? face.failure)(generation, new GatewayError('service-unavailable', message));
    log.open({
      ...headOf(generation, cacheOptions),
      isStream: true,
      lost: endOf('The gateway that ran this request stopped: connection error.'),
      notKept: endOf('The rest of this reply is not kept: connection error.'),
    });
    for await (const batch of events) {
      const frames = printed(generation, () => printer.print(batch));
      if (frames === undefined) continue;
      log.append(numbers ? numbers.add(frames) : frames);
      const writable = log.whenWritable();
      if (writable) await writable;
    }
  }

  private async writeWhole({ log, generation, reply, face, cacheOptions }: Running): Promise<void> {
    const whole = await readReply(await reply);
    let parts: readonly Buffer[];
    try {
      parts = await printInSlices(await doInSlices(face.view(generation, whole)));
    } catch (thrown) {
      // Reported as a failure to print.
      printed(generation, () => {
        throw thrown;
      });
      return;
    }
    log.open({ ...headOf(generation, cacheOptions), isStream: false });
    for (const part of parts) log.append(part);
  }

  /** A stream that has begun ends with its failure, which is part of it; before that there is no reply. */
  private async writeFailure({ log, generation, response, face, numbers }: Running, error: unknown): Promise<void> {
    const metadata = costOf(generation);
    const inBand = (): string | undefined => {
      if (!('failure' in face) || error instanceof CallerGone) return undefined;
      const failure = withMetadata(withDocsAddress(asGatewayError(error), response.req), metadata);
      const frames = face.failure(generation, failure);
      return numbers ? numbers.add(frames) : frames;
    };
    if (log.head) {
      log.append(inBand() ?? '');
      await this.replies.complete(log);
      return;
    }
    const end = { kind: 'failed', error, extras: generation.extras, metadata, inBand } as const;
    if (error instanceof CallerGone || generation.isCharged) {
      // There is no reply, and it may have been charged: a repetition must not run, and learns what was charged.
      log.drop();
      await this.replies.complete(log, end);
    } else await this.replies.withdraw(log, end);
  }
}

const headOf = (
  { warnings = [], cache }: AcceptedGeneration['generation'],
  cacheOptions: CacheOptions | undefined,
): Pick<ReplyHead, 'warnings' | 'headers'> => ({
  warnings: warnings.map(printWarning),
  ...(cache && cacheOptions && { headers: cacheHeaders(cacheOptions.prefix, cache) }),
});
