import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  InjectThrottlerOptions,
  InjectThrottlerStorage,
  ThrottlerGuard,
  type ThrottlerModuleOptions,
} from '@nestjs/throttler';
import type { Caller } from '../core/caller.js';
import type { GatewayError } from '../core/errors.js';
import { Clock } from '../core/time.js';
import { EntryTurns } from '../shared/queues/entry-turns.js';
import type { Rate } from '../shared/variables/grammars.js';
import { shareOf } from './call-windows.js';
import { FloodStorage, type FloodRates, type FloodRefusal } from './flood-storage.js';
import { windowRefusal } from './rate-limit-error.js';

const PASSES = Promise.resolve(true);

/** The refusal of each limit: its name for programs, and the message. */
const REFUSALS: Readonly<Record<FloodRefusal['limit'], { readonly source: string; readonly message: string }>> = {
  account: {
    source: 'account_requests',
    message: 'Too many requests from this account; wait, then send them more slowly.',
  },
  share: {
    source: 'account_requests_share',
    message:
      'Too many requests with this key: while other keys of the account make calls, it has half of the requests. Wait, then send them more slowly.',
  },
  wasted: {
    source: 'wasted_calls',
    message: 'Too many calls of this key were abandoned or failed; wait, and find the cause.',
  },
};

/**
 * The configuration of `ThrottlerModule`: the limits of the flood guard, which apply to every route and add no headers
 * on success. Failed authentications are counted in the same storage, but after the guards, when they have failed.
 */
export function floodOptions(storage: FloodStorage, { account, wasted }: FloodRates): ThrottlerModuleOptions {
  const throttler = (name: keyof FloodRates, { limit, windowMs }: Rate) => ({
    name,
    limit,
    ttl: windowMs,
    blockDuration: windowMs,
  });
  return { storage, setHeaders: false, throttlers: [throttler('account', account), throttler('wasted', wasted)] };
}

/**
 * Refuses, before the body is read, an account that sends far more requests than any use explains, a key past its share
 * of them, and a key with too many wasted calls (docs/use/limits.md#flood). More keys give no more requests; success
 * leaves no trace. Open routes are not counted. The library's `@Throttle` and `@SkipThrottle` have no effect: the same
 * limits apply to all routes, and all are counted at once.
 */
@Injectable()
export class FloodGuard extends ThrottlerGuard {
  private readonly rates: FloodRates;
  private readonly turns = new EntryTurns();

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly storage: FloodStorage,
    reflector: Reflector,
    private readonly clock: Clock,
  ) {
    super(options, storage, reflector);
    this.rates = { account: rateOf(options, 'account'), wasted: rateOf(options, 'wasted') };
  }

  override canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller } = context.switchToHttp().getRequest<{ readonly caller?: Caller }>();
    if (!caller) return PASSES;
    const counted = this.storage.countRequest(caller, this.rates);
    if (counted !== undefined) return this.judge(caller, counted);
    // Nearly always synchronous.
    const turn = this.turns.enter(caller.keyHash);
    return turn === undefined ? PASSES : turn.then(() => true);
  }

  /** @throws GatewayError `rate-limited` */
  private async judge(caller: Caller, counted: FloodRefusal | Promise<FloodRefusal | undefined>): Promise<boolean> {
    const refusal = await counted;
    if (refusal) throw this.refusalError(refusal);
    await this.turns.enter(caller.keyHash);
    return true;
  }

  private refusalError({ limit, retryAfterMs }: FloodRefusal): GatewayError {
    const { account, wasted } = this.rates;
    const { source, message } = REFUSALS[limit];
    const reached = { account: account.limit, share: shareOf(account.limit), wasted: wasted.limit }[limit];
    return windowRefusal(message, { limit: reached, source }, Math.ceil(retryAfterMs / 1_000), this.clock.now());
  }
}

function rateOf(options: ThrottlerModuleOptions, name: keyof FloodRates): Rate {
  const throttlers = Array.isArray(options) ? options : options.throttlers;
  const { limit, ttl } = throttlers.find((throttler) => throttler.name === name) ?? {};
  if (typeof limit !== 'number' || typeof ttl !== 'number') {
    throw new TypeError(`The flood guard needs the limit ${name}, the same for every request.`);
  }
  return { limit, windowMs: ttl };
}
