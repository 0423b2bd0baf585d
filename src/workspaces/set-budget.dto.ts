import type { ExactNumber } from '../core/json/json.js';
import { Closed } from '../shared/http/closed.decorator.js';
import { yesOrNo } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { IsPositiveUsd } from '../shared/http/usd-validators.js';

/** Body of `PUT /workspaces/{id or slug}/budgets/{interval}`. */
@Closed()
export class SetBudgetDto {
  @IsPositiveUsd()
  limit_usd!: number | ExactNumber;

  /** For all budgets of the workspace, as clients expect; unchanged where it is absent. */
  @MayOmit()
  @Fits(yesOrNo)
  include_byok_in_budgets?: boolean;
}
