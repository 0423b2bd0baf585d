import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  ThrottlerStorage,
  type ThrottlerLimitDetail,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
} from '@nestjs/throttler';
import type { Caller } from '../core/caller.js';
import { Clock } from '../core/time.js';
import type { Rate } from '../shared/variables/grammars.js';
import { windowRefusal } from './rate-limit-error.js';

const PASSES = Promise.resolve(true);

/** The throttler's name, which is a part of its key in Redis. */
const FLOOD = 'flood';

/**
 * What `ThrottlerModule` is configured with: one throttler, which counts all requests of an account together, on every
 * route, and says nothing on success. Failed authentications are counted in the same storage, but only once they
 * failed: they are no throttler of a guard.
 */
export function floodOptions(storage: ThrottlerStorage, { limit, windowMs }: Rate): ThrottlerModuleOptions {
  return {
    storage,
    setHeaders: false,
    throttlers: [{ name: FLOOD, limit, ttl: windowMs, blockDuration: windowMs }],
    // The guard asks only for requests that have a caller.
    getTracker: (request) => (request as { readonly caller: Caller }).caller.accountId,
    generateKey: (_context, accountId) => accountId,
  };
}

/**
 * Refuses an account that asks far more often than any use explains (docs/wire/limits.md#flood), before its bodies are
 * read. All keys of an account count together, so more keys bring no more; success leaves no trace. Open routes are not
 * counted. The library's `@Throttle` and `@SkipThrottle` have no effect: one limit holds for all routes, so nothing is
 * looked up for a request.
 */
@Injectable()
export class FloodGuard extends ThrottlerGuard {
  private counted!: Omit<ThrottlerRequest, 'context'>;

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() storage: ThrottlerStorage,
    reflector: Reflector,
    private readonly clock: Clock,
  ) {
    super(options, storage, reflector);
  }

  /** Works out once what the library works out for every request. */
  override async onModuleInit(): Promise<void> {
    await super.onModuleInit();
    const [throttler] = this.throttlers;
    const { getTracker, generateKey } = this.commonOptions;
    const { limit, ttl, blockDuration } = throttler ?? {};
    if (!throttler || !getTracker || !generateKey) throw new TypeError('The flood guard needs one throttler.');
    if (typeof limit !== 'number' || typeof ttl !== 'number' || typeof blockDuration !== 'number') {
      throw new TypeError('The limit of the flood guard is the same for every request.');
    }
    this.counted = { throttler, limit, ttl, blockDuration, getTracker, generateKey };
  }

  override canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller } = context.switchToHttp().getRequest<{ readonly caller?: Caller }>();
    return caller ? this.handleRequest({ context, ...this.counted }) : PASSES;
  }

  /** @throws GatewayError `rate-limited` */
  protected override throwThrottlingException(_context: ExecutionContext, reached: ThrottlerLimitDetail): never {
    const message = 'Too many requests from this account; wait, then send them more slowly.';
    throw windowRefusal(message, reached.limit, reached.timeToBlockExpire, this.clock.now());
  }
}
