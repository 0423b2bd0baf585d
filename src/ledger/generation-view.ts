import { Type } from '@sinclair/typebox';
import type { UnifiedStop } from '../core/conversation/event.js';
import { ENDINGS, type EndingResult } from '../core/generation/ending.js';
import type { Json, JsonObject } from '../core/json/json.js';
import {
  flag,
  integer,
  moment,
  nullable,
  number,
  object,
  optional,
  rows,
  text,
  titled,
  described,
  unknown,
  type Static,
} from '../shared/http/schema.js';
import type { StoredGeneration } from './generation.repository.js';

const attemptView = object({
  status: nullable(integer()),
  provider_name: optional(text()),
  model_permaslug: optional(text()),
  endpoint_id: optional(text()),
  is_byok: optional(flag()),
  credential_refused: optional(flag()),
});

/** Clients require these keys; nothing is ever known of them here. */
const never = Type.Null();

/**
 * A settled generation (docs/wire/accounting.md#get-generation): every key that clients of any version require,
 * null where nothing is known.
 */
export const generationView = titled(
  'generation',
  object({
    id: text(),
    request_id: described('The `request-id` header of the reply; null where none is kept.', nullable(text())),
    session_id: nullable(text()),
    workspace_id: text(),
    upstream_id: nullable(text()),
    created_at: moment(),
    model: text(),
    requested_model: text(),
    provider_name: nullable(text()),
    provider_responses: described('The calls that were made, in their order.', rows(attemptView)),
    api_type: text(),
    router: never,
    preset_id: never,
    service_tier: nullable(text()),
    data_region: text(),
    is_byok: flag(),
    outcome: text(),
    streamed: flag(),
    cancelled: described('The caller left before the end.', flag()),
    finish_reason: nullable(text()),
    native_finish_reason: nullable(text()),
    latency: described('Milliseconds to the first token.', nullable(number())),
    generation_time: described('Milliseconds of the whole reply.', nullable(number())),
    moderation_latency: never,
    tokens_prompt: integer(),
    tokens_completion: integer(),
    native_tokens_prompt: integer(),
    native_tokens_completion: integer(),
    native_tokens_completion_images: never,
    native_tokens_reasoning: integer(),
    native_tokens_cached: integer(),
    num_media_prompt: nullable(integer()),
    num_media_completion: never,
    num_input_audio_prompt: never,
    num_search_results: nullable(integer()),
    num_searches: nullable(integer()),
    num_fetches: nullable(integer()),
    web_search_engine: described('Who searched last; `native`: the vendor.', nullable(text())),
    usage: described('What was charged.', number()),
    server_tool_cost: described('What of the list price tools come to.', number()),
    total_cost: number(),
    cache_discount: never,
    upstream_inference_cost: number(),
    is_estimated: described('The provider reported no usage.', flag()),
    is_over_bound: described('It used more than was reserved for it.', flag()),
    is_recovered: described('The replica that ran it died; another one settled it.', flag()),
    user: nullable(text()),
    external_user: nullable(text()),
    trace: unknown(),
    response_cache_source_id: never,
    app_id: never,
    origin: text(),
    http_referer: never,
    user_agent: never,
  }),
);
export type GenerationRecordView = Static<typeof generationView>;

/** Times in ms, amounts in USD. Amounts become JSON numbers here and nowhere earlier. */
export function viewGeneration(row: StoredGeneration): GenerationRecordView {
  const promptTokens = Number(row.all_prompt_tokens);
  const completionTokens = Number(row.completion_tokens);
  const charged = Number(row.cost);
  return {
    id: row.id,
    request_id: row.request_id,
    session_id: row.session_id,
    workspace_id: row.workspace_id,
    upstream_id: row.upstream_id,
    created_at: row.held_at.toISOString(),
    // Clients require a text. Where nobody answered it is what was asked for.
    model: row.model ?? row.requested_model,
    requested_model: row.requested_model,
    provider_name: row.provider_name,
    provider_responses: row.attempts.map(viewAttempt),
    api_type: 'completions',
    router: null,
    preset_id: null,
    service_tier: row.service_tier,
    data_region: 'global',
    is_byok: row.is_byok,

    outcome: row.outcome,
    streamed: row.streamed,
    cancelled: resultOf(row.outcome) === 'cancelled',
    finish_reason: viewFinish(row),
    native_finish_reason: row.native_finish_reason,
    latency: row.latency_ms,
    generation_time: row.generation_ms,
    moderation_latency: null,

    // What was charged is what the model's own tokenizer counted: there is one count.
    tokens_prompt: promptTokens,
    tokens_completion: completionTokens,
    native_tokens_prompt: promptTokens,
    native_tokens_completion: completionTokens,
    native_tokens_completion_images: null,
    native_tokens_reasoning: Number(row.reasoning_tokens),
    native_tokens_cached: Number(row.cache_read_tokens),
    num_media_prompt: row.images,
    num_media_completion: null,
    num_input_audio_prompt: null,
    // Vendors count their searches, not what these brought.
    num_search_results: row.web_searches === 0 ? 0 : row.web_search_results,
    num_searches: row.web_searches,
    num_fetches: row.web_fetches,
    web_search_engine: row.web_search_engine,

    usage: charged,
    server_tool_cost: Number(row.tools_cost),
    total_cost: charged,
    cache_discount: null,
    upstream_inference_cost: Number(row.byok_cost),
    is_estimated: row.is_estimated,
    is_over_bound: row.is_over_bound,
    is_recovered: row.is_recovered,

    user: row.end_user,
    external_user: row.end_user,
    trace: row.trace,
    response_cache_source_id: null,
    // Nothing of a caller's address or program is kept.
    app_id: null,
    origin: '',
    http_referer: null,
    user_agent: null,
  };
}

/**
 * The words of the completions format (docs/wire/chat.md#finish-reasons), which this record speaks whatever
 * face the request came in by.
 */
const FINISH_REASONS: Readonly<Record<UnifiedStop, string>> = {
  'end-turn': 'stop',
  'stop-sequence': 'stop',
  pause: 'stop',
  compaction: 'stop',
  other: 'stop',
  'output-limit': 'length',
  'context-limit': 'length',
  'tool-use': 'tool_calls',
  refusal: 'content_filter',
  'content-filter': 'content_filter',
};

/** What a row's `outcome` means. The replica of a recovered one died: how its reply went on, nobody knows. */
function resultOf(outcome: StoredGeneration['outcome']): EndingResult | 'unknown' {
  if (outcome === 'recovered') return 'unknown';
  // One that still runs has no row of its own; a word of another release is not in the table.
  return outcome === 'running' ? 'failed' : (ENDINGS[outcome]?.result ?? 'failed');
}

function viewFinish({ finish_reason: stop, outcome }: StoredGeneration): string | null {
  if (stop !== null) return FINISH_REASONS[stop];
  // What ended without a reason and is nobody's fault has none to tell.
  return resultOf(outcome) === 'failed' ? 'error' : null;
}

/** One call: keys of which nothing is known are left out, as clients take no null for them. */
function viewAttempt(attempt: JsonObject): Static<typeof attemptView> {
  const { provider, model, status, endpoint, is_byok, credential_refused } = attempt;
  return {
    status: typeof status === 'number' ? status : null,
    ...known('provider_name', provider),
    ...known('model_permaslug', model),
    ...known('endpoint_id', endpoint),
    ...(is_byok === true && { is_byok }),
    ...(credential_refused === true && { credential_refused }),
  };
}

const known = <Name extends string>(name: Name, value: Json | undefined): { readonly [Key in Name]?: string } =>
  typeof value === 'string' ? ({ [name]: value } as { [Key in Name]: string }) : {};
