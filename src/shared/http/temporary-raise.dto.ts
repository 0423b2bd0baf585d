import { GatewayError } from '../../core/errors.js';
import type { ExactNumber } from '../../core/json/json.js';
import type { PicoUsd } from '../../core/money/credits.js';
import { Closed } from './closed.decorator.js';
import { readUsdNumber } from './usd-amount.js';
import { IsPositiveUsd } from './usd-validators.js';
import { IsUtcTime, readUtcTime } from './utc-time.js';

/** Body of a temporary raise of a limit or a budget (docs/operate/budgets.md#raises). */
@Closed()
export class RaiseDto {
  @IsPositiveUsd()
  amount_usd!: number | ExactNumber;

  @IsUtcTime()
  until!: string;
}

/** @throws GatewayError `invalid-request` for an end that has passed. @param now Unix time in milliseconds */
export function readRaise(body: RaiseDto, now: number): { readonly amount: PicoUsd; readonly until: Date } {
  const until = readUtcTime(body.until)!;
  if (until.getTime() <= now) throw new GatewayError('invalid-request', 'until: must be in the future');
  return { amount: readUsdNumber(body.amount_usd)!, until };
}
