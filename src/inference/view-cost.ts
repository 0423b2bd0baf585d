import type { JsonObject } from '../core/json/json.js';
import type { Bill } from '../core/money/bill.js';
import { usdNumber } from '../core/money/credits.js';

/** What the caller pays, as far as it is known. */
export interface Billing {
  readonly isByok: boolean;
  /** Undefined while it is not known. */
  readonly bill: Bill | undefined;
}

/**
 * Parts of the list price (docs/wire/messages.md#cost-details); the whole of it is told where the caller's own account
 * at the provider pays it.
 */
export function viewCostDetails({ isByok, byokCost, list }: Bill): JsonObject {
  return {
    upstream_inference_cost: isByok ? usdNumber(byokCost) : null,
    upstream_inference_prompt_cost: usdNumber(list.prompt),
    upstream_inference_completions_cost: usdNumber(list.completion),
    server_tool_cost: usdNumber(list.tools),
  };
}
