import type { ExactNumber } from '../core/json/json.js';
import { Closed } from '../shared/http/closed.decorator.js';
import { IsPositiveUsd } from '../shared/http/usd-validators.js';

/** Body of `PUT /budgets/{scope}/{id}/{interval}`. */
@Closed()
export class SetSubjectBudgetDto {
  @IsPositiveUsd()
  limit_usd!: number | ExactNumber;
}
