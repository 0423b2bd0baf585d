import { withCompactions, type Usage } from '../core/conversation/usage.js';
import { printJson, type Json, type JsonObject } from '../core/json/json.js';
import type { Generation, ToolUseRecord } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import type { Bill } from '../core/money/bill.js';
import { formatUsd, type PicoUsd } from '../core/money/credits.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { HeldAmounts, Hold } from '../ledger/hold.js';
import type { Settlement } from '../ledger/settlement.js';

/** What a generation is charged. */
export interface Charged {
  /** Of all calls that are the caller's; undefined where none is. */
  readonly bill: Bill | undefined;
  /** To credits, as far as there was room. */
  readonly cost: PicoUsd;
  /** What nobody is charged for. */
  readonly operatorCost: PicoUsd;
  readonly isOverBound: boolean;
}

/** What a row says besides what its generation tells. */
export interface RowFigures {
  readonly hold: Pick<Hold, 'id' | 'heldAt' | 'counters'>;
  /** What was reserved, before settling took more. */
  readonly bound: HeldAmounts;
  /** Of all calls that are the caller's, as far as it can be believed. */
  readonly usage: Usage;
  readonly charged: Charged;
  readonly images: number;
  /** Epoch milliseconds. */
  readonly settledAt: number;
  readonly priceVersion: string | null;
}

/** The record of a generation as it is settled: what `/generation` and `/activity` tell. */
export function buildGenerationRow(generation: Generation, figures: RowFigures): Settlement {
  const { hold, bound, charged, images, settledAt, priceVersion } = figures;
  const usage = figures.usage.iterations ? withCompactions(figures.usage) : figures.usage;
  const { request, caller, recorded, outcome = 'running', toolUses, beganAt, committedAt } = generation;
  const { bill } = charged;
  const leg = recorded?.leg;
  const isByok = recorded?.isShared === false;
  // That a call of a loop ended with calls of the gateway's tools is no end of a reply that was cut off.
  const isCutOff = outcome !== 'completed' && outcome !== 'running' && recorded?.stop?.unified === 'tool-use';
  const stop = isCutOff ? undefined : recorded?.stop;
  const webSearches = usage.webSearchRequests ?? 0;
  const searches = toolUses.length > 0 ? listSearches(toolUses) : NO_SEARCHES;
  const isSearchedByVendor = webSearches > searches.count;
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
    upstream_id: recorded?.upstreamId ?? null,
    service_tier: bill?.rate?.tier ?? leg?.tier ?? null,
    credential: leg && isByok ? leg.credential : null,
    is_byok: isByok,
    streamed: request.stream,
    outcome,
    finish_reason: stop?.unified ?? null,
    native_finish_reason: stop?.raw ?? null,
    prompt_tokens: usage.inputTokens ?? 0,
    completion_tokens: usage.outputTokens ?? 0,
    reasoning_tokens: usage.reasoningTokens ?? 0,
    cache_read_tokens: usage.cacheReadTokens ?? 0,
    cache_write_tokens: usage.cacheWriteTokens ?? 0,
    cache_write_1h_tokens: usage.cacheWrite1hTokens ?? 0,
    images,
    web_searches: webSearches,
    web_fetches: usage.webFetchRequests ?? 0,
    web_search_results: isSearchedByVendor ? null : searches.results,
    web_search_engine: searches.engine ?? (isSearchedByVendor ? 'native' : null),
    request_id: generation.origin?.requestId ?? null,
    bound: formatUsd(bound.credits),
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
    trace: request.trace ? recordedTrace(request.trace) : null,
    attempts: viewAttempts(generation.callsMade()),
    key_interval: hold.counters.keyInterval,
    budgets: hold.counters.budgets,
  };
}

function viewAttempts(calls: readonly ProviderCall[]): readonly JsonObject[] {
  const attempts: JsonObject[] = [];
  for (const { leg, status, isCredentialRefused } of calls) {
    const { model, endpoint, tag, credential } = leg;
    const attempt: Record<string, Json> = { provider: endpoint.provider.name, model: model.id, endpoint: tag, status };
    if (credential !== SHARED_CREDENTIAL) attempt['is_byok'] = true;
    if (isCredentialRefused) attempt['credential_refused'] = true;
    attempts.push(attempt);
  }
  return attempts;
}

/** Searches that the gateway made. */
interface Searches {
  readonly count: number;
  readonly results: number;
  readonly engine: string | undefined;
}

const NO_SEARCHES: Searches = { count: 0, results: 0, engine: undefined };

/** Vendors tell how many searches they made, and no more. */
function listSearches(toolUses: readonly ToolUseRecord[]): Searches {
  const searches = toolUses.flatMap(({ web }) => (web?.kind === 'search' ? [web] : []));
  return {
    count: searches.length,
    results: searches.reduce((sum, { results }) => sum + results, 0),
    engine: searches.at(-1)?.engine,
  };
}

/** Its numbers become doubles: it groups records, nothing is computed from it. */
const recordedTrace = (trace: JsonObject): JsonObject => JSON.parse(printJson(trace)) as JsonObject;
