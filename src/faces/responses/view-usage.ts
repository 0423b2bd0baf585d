import type { Usage } from '../../core/conversation/usage.js';
import type { JsonObject } from '../../core/json/json.js';
import { usdNumber } from '../../core/money/credits.js';
import { tokensOf, viewCostDetails, type Billing } from '../common/view-cost.js';

/**
 * `usage` of a response (docs/use/responses.md#usage): the input includes cached and written tokens. An unknown cost is
 * left out.
 */
export function viewUsage(usage: Usage, { bill, isByok }: Billing): JsonObject {
  const { input, cached, written, output, toolUses } = tokensOf(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: input + output,
    ...(bill && { cost: usdNumber(bill.cost), cost_details: renamed(viewCostDetails(bill)) }),
    is_byok: isByok,
    ...(toolUses && { server_tool_use_details: toolUses }),
  };
}

/** This format's names of the parts. */
const renamed = ({
  upstream_inference_prompt_cost: input,
  upstream_inference_completions_cost: output,
  ...others
}: JsonObject): JsonObject => ({
  ...others,
  upstream_inference_input_cost: input,
  upstream_inference_output_cost: output,
});
