import type { Usage } from '../../core/conversation/usage.js';
import { usdNumber } from '../../core/money/credits.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import { tokensOf, viewCostDetails, type Billing } from '../common/view-cost.js';

/**
 * `usage` of a chat reply (docs/use/chat.md#usage). The prompt includes cached tokens, so that the figures add up
 * (docs/contribute/reasons/translation.md#sums-of-usage). An unknown cost is left out, because clients accept only a
 * number there.
 */
export function viewUsage(usage: Usage, { bill, isByok }: Billing): JsonObject {
  const raw = usage.extras?.vendor === 'openai' ? usage.extras.value : {};
  const { input: prompt, cached, written, output: completion, toolUses } = tokensOf(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(bill && { cost: usdNumber(bill.cost), cost_details: viewCostDetails(bill) }),
    is_byok: isByok,
    prompt_tokens_details: {
      cached_tokens: cached,
      cache_write_tokens: written,
      audio_tokens: countAt(raw, 'prompt_tokens_details', 'audio_tokens'),
      video_tokens: countAt(raw, 'prompt_tokens_details', 'video_tokens'),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens ?? 0,
      audio_tokens: countAt(raw, 'completion_tokens_details', 'audio_tokens'),
      accepted_prediction_tokens: countAt(raw, 'completion_tokens_details', 'accepted_prediction_tokens'),
      rejected_prediction_tokens: countAt(raw, 'completion_tokens_details', 'rejected_prediction_tokens'),
    },
    ...(toolUses && { server_tool_use_details: toolUses }),
  };
}

/** A figure that only a provider of this format counts; 0 where it is absent. */
function countAt(raw: JsonObject, part: string, key: string): number {
  const details: Json | undefined = raw[part];
  const count = isJsonObject(details) ? details[key] : undefined;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : 0;
}
