import { Type } from '@sinclair/typebox';
import type { UnifiedStop } from '../../core/conversation/event.js';
import { ENDINGS, type EndingResult } from '../../core/generation/ending.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import {
  flag,
  freeForm,
  integer,
  map,
  moment,
  nullable,
  number,
  object,
  oneOf,
  optional,
  rows,
  text,
  titled,
  described,
  unknown,
  type Static,
} from '../../shared/http/schema.js';
import { API_TYPES } from './generation-columns.js';
import { answeredAs } from './generation-outcomes.js';
import type { StoredGeneration } from './generation.repository.js';

const attemptView = object({
  status: nullable(integer()),
  provider_name: optional(text()),
  model_permaslug: optional(text()),
  endpoint_id: optional(text()),
  is_byok: optional(flag()),
  credential_refused: optional(flag()),
});

/** A call, with its times. */
const timedAttemptView = object({
  provider: nullable(text()),
  model: nullable(text()),
  status: nullable(integer()),
  fault: nullable(text()),
  started_at: nullable(moment()),
  duration_ms: nullable(integer()),
  cost: nullable(number()),
});

/** Always null: clients require these keys, and the gateway never knows their values. */
const never = Type.Null();

/** The keys that clients of any version require, with null where the value is unknown. */
const RECORD = {
  id: text(),
  request_id: described('The `request-id` header of the reply; null where none is kept.', nullable(text())),
  session_id: nullable(text()),
  workspace_id: text(),
  key: described('Hash of the key that requested it.', text()),
  member: described('The user that the key was made for (`creator_user_id`).', nullable(text())),
  upstream_id: nullable(text()),
  created_at: moment(),
  model: text(),
  requested_model: text(),
  upstream_model: described('Name of the model at the provider that answered.', nullable(text())),
  provider: described('Slug of the provider that answered.', nullable(text())),
  provider_name: nullable(text()),
  provider_responses: described('The calls that were made, in their order.', rows(attemptView)),
  api: described('The interface that was called.', oneOf(API_TYPES)),
  api_type: text(),
  router: never,
  preset_id: described('Id of the preset that completed the request; null: none.', nullable(text())),
  service_tier: nullable(text()),
  data_region: text(),
  is_byok: flag(),
  outcome: text(),
  status: described('HTTP status of the reply, or of the error in its stream; null: unknown.', nullable(integer())),
  error_type: described('As the error states it; null without an error.', nullable(text())),
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
  price_version: described('Id of the prices that were charged; null where nothing was priced.', nullable(text())),
  cache_discount: never,
  upstream_inference_cost: number(),
  is_estimated: described('The provider reported no usage.', flag()),
  is_over_bound: described('It used more than was reserved for it.', flag()),
  is_recovered: described('The replica that ran it died; another one settled it.', flag()),
  user: nullable(text()),
  external_user: nullable(text()),
  trace: unknown(),
  tags: described('Of the request, its key and its workspace; null: none.', nullable(map(text()))),
  response_cache_source_id: described(
    'The generation whose reply the response cache gave again; null: none.',
    nullable(text()),
  ),
  app_id: never,
  origin: text(),
  http_referer: never,
  user_agent: never,
};

/** A settled generation in a list. */
export const generationRecordView = titled('generation-record', object(RECORD));
export type GenerationRecordView = Static<typeof generationRecordView>;

/** Column names of a record in csv. */
export const RECORD_COLUMNS = Object.keys(RECORD);

/** A settled generation with what is only shown of a single one (docs/use/charges.md#get-generation). */
export const generationView = titled(
  'generation',
  object({
    ...RECORD,
    attempts: described('The calls that were made, in their order, with their times.', rows(timedAttemptView)),
    decision: described(
      'How it was routed, as `npm run fairlead -- decision --json` prints it, with `consulted`; null where no decision is kept.',
      nullable(freeForm()),
    ),
  }),
);
export type GenerationView = Static<typeof generationView>;

/** APIs of conversations: the service that defines this record has one name for all of them. */
const COMPLETIONS: ReadonlySet<StoredGeneration['api_type']> = new Set(['messages', 'chat']);

/** Times in ms, amounts in USD. Amounts become JSON numbers here and nowhere earlier. */
export function viewRecord(row: StoredGeneration): GenerationRecordView {
  const charged = Number(row.cost);
  const { status, errorType } = answeredAs(row);
  return {
    id: row.id,
    request_id: row.request_id,
    session_id: row.session_id,
    workspace_id: row.workspace_id,
    key: row.key_hash,
    member: row.key_user,
    upstream_id: row.upstream_id,
    created_at: row.held_at.toISOString(),
    // Clients require a string: where no model answered, it is the requested one.
    model: row.model ?? row.requested_model,
    requested_model: row.requested_model,
    upstream_model: row.upstream_model,
    provider: row.provider,
    provider_name: row.provider_name,
    provider_responses: row.attempts.map(viewAttempt),
    api: row.api_type,
    api_type: COMPLETIONS.has(row.api_type) ? 'completions' : row.api_type,
    router: null,
    preset_id: row.preset_id,
    service_tier: row.service_tier,
    data_region: 'global',
    is_byok: row.is_byok,

    outcome: row.outcome,
    status,
    error_type: errorType,
    streamed: row.streamed,
    cancelled: resultOf(row.outcome) === 'cancelled',
    finish_reason: viewFinish(row),
    native_finish_reason: row.native_finish_reason,
    latency: row.latency_ms,
    generation_time: row.generation_ms,
    moderation_latency: null,

    ...viewCounts(row),

    usage: charged,
    server_tool_cost: Number(row.tools_cost),
    total_cost: charged,
    price_version: row.price_version,
    cache_discount: null,
    upstream_inference_cost: Number(row.byok_cost),
    is_estimated: row.is_estimated,
    is_over_bound: row.is_over_bound,
    is_recovered: row.is_recovered,

    user: row.end_user,
    external_user: row.end_user,
    trace: row.trace,
    tags: row.tags,
    response_cache_source_id: row.response_cache_source_id,
    // Neither the caller's address nor its program is stored.
    app_id: null,
    origin: '',
    http_referer: null,
    user_agent: null,
  };
}

/** Tokens, media, searches and fetches. */
function viewCounts(row: StoredGeneration) {
  const promptTokens = Number(row.all_prompt_tokens);
  const completionTokens = Number(row.completion_tokens);
  return {
    // The charged counts are those of the model's own tokenizer: there is only one count.
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
    // Vendors count their searches, not the results.
    num_search_results: row.web_searches === 0 ? 0 : row.web_search_results,
    num_searches: row.web_searches,
    num_fetches: row.web_fetches,
    web_search_engine: row.web_search_engine,
  };
}

/** @param decision null where none is kept */
export function viewGeneration(row: StoredGeneration, decision: JsonObject | null): GenerationView {
  return { ...viewRecord(row), attempts: row.attempts.map((attempt) => viewTimedAttempt(row, attempt)), decision };
}

/**
 * The words of the completions format (docs/use/chat.md#finish-reasons), which this record uses whichever face the
 * request came in by.
 */
const FINISH_REASONS: Readonly<Record<UnifiedStop, string>> = {
  'end-turn': 'stop',
  'stop-sequence': 'stop',
  pause: 'stop',
  compaction: 'stop',
  computed: 'stop',
  other: 'stop',
  'output-limit': 'length',
  'context-limit': 'length',
  'tool-use': 'tool_calls',
  refusal: 'content_filter',
  'content-filter': 'content_filter',
};

/** The result for a row's `outcome`. The replica of a recovered one died, so how its reply ended is unknown. */
function resultOf(outcome: StoredGeneration['outcome']): EndingResult | 'unknown' {
  if (outcome === 'recovered') return 'unknown';
  // A running generation has no row; an outcome of another release is not in the table.
  return outcome === 'running' ? 'failed' : (ENDINGS[outcome]?.result ?? 'failed');
}

function viewFinish({ finish_reason: stop, outcome }: StoredGeneration): string | null {
  if (stop !== null) return FINISH_REASONS[stop];
  // A generation that ended without a reason and without a fault has no finish reason.
  return resultOf(outcome) === 'failed' ? 'error' : null;
}

/** One call. Unknown keys are left out, because clients accept no null for them. */
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

/**
 * One call with its times. Its cost is that of its record, else the whole charge where it is the only call. The cost is
 * unknown for one of several calls in records of earlier releases.
 */
function viewTimedAttempt(row: StoredGeneration, attempt: JsonObject): Static<typeof timedAttemptView> {
  const { endpoint, model, status, fault, started, took, cost } = attempt;
  return {
    // A tag is the slug, with a variant where there is one.
    provider: asText(endpoint)?.split('/', 1)[0] ?? null,
    model: asText(model),
    status: asNumber(status),
    fault: asText(fault),
    started_at: typeof started === 'number' ? new Date(beganAt(row) + started).toISOString() : null,
    duration_ms: asNumber(took),
    cost: typeof cost === 'string' ? Number(cost) : row.attempts.length === 1 ? Number(row.cost) : null,
  };
}

/** When the request was accepted, by the clock of its process: epoch milliseconds. */
const beganAt = ({ settled_at: settledAt, generation_ms: took }: StoredGeneration): number =>
  settledAt.getTime() - (took ?? 0);

const asText = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
const asNumber = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null);

const known = <Name extends string>(name: Name, value: Json | undefined): { readonly [Key in Name]?: string } =>
  typeof value === 'string' ? ({ [name]: value } as { [Key in Name]: string }) : {};
