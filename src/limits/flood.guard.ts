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
import { EntryTurns } from '../shared/entry-turns.js';
import type { Rate } from '../shared/variables/grammars.js';
import { shareOf } from './call-windows.js';
import { FloodStorage, type FloodRates, type FloodRefusal } from './flood-storage.js';
import { windowRefusal } from './rate-limit-error.js';

const PASSES = Promise.resolve(true);

/** What each refused caller is told. */
const MESSAGES: Readonly<Record<FloodRefusal['limit'], string>> = {
  account: 'Too many requests from this account; wait, then send them more slowly.',
  share:
    'Too many requests with this key: while other keys of its account call, it has half of the requests. Wait, then send them more slowly.',
  wasted: 'Too many calls of this key were abandoned or failed; wait, and look into why.',
};

/**
 * What `ThrottlerModule` is configured with: the limits of the flood guard, which hold on every route and say nothing
 * on success. Failed authentications are counted in the same storage, but only once they failed: they are no throttler
 * of a guard.
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
 * Refuses an account that asks far more often than any use explains, a key that asks more than its share of it, and one
 * whose calls come to nothing (docs/wire/limits.md#flood), before its bodies are read. More keys bring no more; success
 * leaves no trace. Open routes are not counted. The library's `@Throttle` and `@SkipThrottle` have no effect: the same
 * limits hold for all routes, and all of them are counted at once.
 */
@Injectable()
export class FloodGuard extends ThrottlerGuard {
  private rates!: FloodRates;
  private readonly turns = new EntryTurns();

  constructor(
    @InjectThrottlerOptions() options: ThrottlerModuleOptions,
    @InjectThrottlerStorage() private readonly storage: FloodStorage,
    reflector: Reflector,
    private readonly clock: Clock,
  ) {
    super(options, storage, reflector);
  }

  /** Works out once what the library works out for every request. */
  override async onModuleInit(): Promise<void> {
    await super.onModuleInit();
    this.rates = { account: this.rateOf('account'), wasted: this.rateOf('wasted') };
  }

  override canActivate(context: ExecutionContext): Promise<boolean> {
    const { caller } = context.switchToHttp().getRequest<{ readonly caller?: Caller }>();
    if (!caller) return PASSES;
    const counted = this.storage.countRequest(caller, this.rates);
    if (counted !== undefined) return this.judge(caller, counted);
    // Nearly always at once.
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
    const reached = { account: account.limit, share: shareOf(account.limit), wasted: wasted.limit }[limit];
    return windowRefusal(MESSAGES[limit], reached, Math.ceil(retryAfterMs / 1_000), this.clock.now());
  }

  private rateOf(name: keyof FloodRates): Rate {
    const { limit, ttl } = this.throttlers.find((throttler) => throttler.name === name) ?? {};
    if (typeof limit !== 'number' || typeof ttl !== 'number') {
      throw new TypeError(`The flood guard needs the limit ${name}, the same for every request.`);
    }
    return { limit, windowMs: ttl };
  }
}
