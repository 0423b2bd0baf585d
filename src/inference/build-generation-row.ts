import type { ModelRequest } from '../core/conversation/request.js';
import type { Usage } from '../core/conversation/usage.js';
import { printJson, type JsonObject } from '../core/json/json.js';
import type { Generation } from '../core/generation/generation.js';
import type { Bill } from '../core/money/bill.js';
import { formatUsd, type PicoUsd } from '../core/money/credits.js';
import type { GenerationRow } from '../ledger/generation-row.js';
import type { Hold } from '../ledger/hold.js';

/** Longest `trace` of a caller's that is kept, in characters of its JSON; a longer one is left out. */
const TRACE_CHARACTERS_MAX = 4_096;

/** What a generation is charged. */
export interface Charged {
  /** Of all calls that answered; undefined where none did. */
  readonly bill: Bill | undefined;
  /** To credits, as far as there was room. */
  readonly cost: PicoUsd;
  /** What nobody is charged for. */
  readonly operatorCost: PicoUsd;
  readonly isOverBound: boolean;
}

/** What a row says besides what its generation tells. */
export interface RowFigures {
  readonly hold: Hold;
  /** Of all calls that answered, as far as it can be believed. */
  readonly usage: Usage;
  readonly charged: Charged;
  readonly images: number;
  /** Epoch milliseconds. */
  readonly settledAt: number;
  readonly priceVersion: string | null;
}

/** The record of a generation as it is settled: what `/generation` and `/activity` tell. */
export function buildGenerationRow(generation: Generation, figures: RowFigures): GenerationRow {
  const { hold, usage, charged, images, settledAt, priceVersion } = figures;
  const { request, caller, answer, beganAt, committedAt } = generation;
  const { bill } = charged;
  const leg = answer?.leg;
  return {
    id: hold.id,
    held_at: hold.heldAt,
    settled_at: new Date(settledAt).toISOString(),
    account_id: caller.accountId,
    workspace_id: caller.workspaceId,
    key_hash: caller.keyHash,
    key_user: caller.userId,
    api_type: generation.api,
    requested_model: request.model,
    model: leg?.model.id ?? null,
    provider: leg?.endpoint.provider.slug ?? null,
    provider_name: leg?.endpoint.provider.name ?? null,
    endpoint: leg?.tag ?? null,
    upstream_id: answer?.upstreamId ?? null,
    service_tier: leg?.tier ?? null,
    credential: leg && generation.isByok ? leg.credential : null,
    is_byok: generation.isByok,
    streamed: request.stream,
    outcome: generation.outcome ?? 'running',
    finish_reason: answer?.stop?.unified ?? null,
    native_finish_reason: answer?.stop?.raw ?? null,
    prompt_tokens: usage.inputTokens ?? 0,
    completion_tokens: usage.outputTokens ?? 0,
    reasoning_tokens: usage.reasoningTokens ?? 0,
    cache_read_tokens: usage.cacheReadTokens ?? 0,
    cache_write_tokens: usage.cacheWriteTokens ?? 0,
    cache_write_1h_tokens: usage.cacheWrite1hTokens ?? 0,
    images,
    web_searches: usage.webSearchRequests ?? 0,
    web_fetches: usage.webFetchRequests ?? 0,
    bound: formatUsd(hold.bound.credits),
    cost: formatUsd(charged.cost),
    byok_cost: formatUsd(bill?.byokCost ?? 0n),
    prompt_cost: formatUsd(bill?.list.prompt ?? 0n),
    completion_cost: formatUsd(bill?.list.completion ?? 0n),
    tools_cost: formatUsd(bill?.list.tools ?? 0n),
    operator_cost: formatUsd(charged.operatorCost),
    price_version: priceVersion,
    is_estimated: usage.estimated === true,
    is_over_bound: charged.isOverBound,
    is_recovered: false,
    is_corrected: false,
    latency_ms: committedAt === undefined ? null : Math.round(committedAt - beganAt),
    generation_ms: Math.round(performance.now() - beganAt),
    session_id: request.sessionId ?? null,
    end_user: request.user ?? null,
    trace: recordedTrace(request.trace),
    attempts: generation.attempts().map(({ leg: called, status }) => ({
      provider: called.endpoint.provider.name,
      model: called.model.id,
      endpoint: called.tag,
      status,
    })),
  };
}

/** Its numbers become doubles: it groups records, nothing is computed from it. */
function recordedTrace(trace: ModelRequest['trace']): JsonObject | null {
  if (!trace) return null;
  const text = printJson(trace);
  return text.length > TRACE_CHARACTERS_MAX ? null : (JSON.parse(text) as JsonObject);
}
