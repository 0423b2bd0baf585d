import type { ExactNumber } from '../core/exact-json.js';
import { readUsdNumber } from '../ledger/usd-amount.js';
import { Fits, ReadableBy } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { number } from '../shared/http/schema.js';
import { yesOrNo } from './policy-fields.js';

/** An amount of USD as a JSON number: exact to 12 decimals, above 0. */
const IsLimit = (): PropertyDecorator =>
  ReadableBy(
    'isLimit',
    (value) => (readUsdNumber(value) ?? 0n) > 0n,
    'must be a number of USD above 0 and below 10^15, with at most 12 decimals',
    number(),
  );

/** Body of `PUT /workspaces/{id or slug}/budgets/{interval}`. */
export class SetBudgetDto {
  @IsLimit()
  limit_usd!: number | ExactNumber;

  /** Of all budgets of the workspace, as clients know it; unchanged where it is left out. */
  @MayOmit()
  @Fits(yesOrNo)
  include_byok_in_budgets?: boolean;
}
