import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ThrottlerStorage } from '@nestjs/throttler';
import type { Caller } from '../core/caller.js';
import { Clock } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { rateLimitError } from './rate-limit-error.js';

/**
 * Refuses an account that asks far more often than any use explains (Scope 8), before its bodies are read. All keys of an account
 * count together, so more keys bring no more; success leaves no trace. Open routes are not counted.
 */
@Injectable()
export class FloodGuard implements CanActivate {
  constructor(
    @Inject(ThrottlerStorage) private readonly counts: ThrottlerStorage,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller } = context.switchToHttp().getRequest<{ readonly caller?: Caller }>();
    if (!caller) return true;
    const { limit, windowMs } = this.environment.flood.account;
    const counted = await this.counts.increment(caller.accountId, windowMs, limit, windowMs, 'flood');
    if (!counted.isBlocked) return true;
    const retryAfterMs = Math.max(1, counted.timeToBlockExpire) * 1000;
    throw rateLimitError('Too many requests from this account; wait, then send them more slowly.', {
      limit,
      resetAtMs: this.clock.now() + retryAfterMs,
      retryAfterMs,
    });
  }
}
