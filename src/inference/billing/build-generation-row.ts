import { endUserOf } from '../../accounts/budget-subjects.js';
import { withCompactions, type Usage } from '../../core/conversation/usage.js';
import { printJson, type Json, type JsonObject } from '../../core/json/json.js';
import type { Generation, ToolUseRecord } from '../../core/generation/generation.js';
import type { ProviderCall } from '../../core/generation/provider-call.js';
import type { Bill } from '../../core/money/bill.js';
import { formatUsd, type PicoUsd } from '../../core/money/credits.js';
import { dialectOf } from '../../core/routing/catalog.js';
import { SHARED_CREDENTIAL } from '../../core/routing/credential.js';
import type { PlannedLeg } from '../../core/routing/plan.js';
import type { HeldAmounts, Hold } from '../../ledger/hold.js';
import type { Settlement } from '../../ledger/settlement.js';

/** The charge of a generation. */
export interface GenerationCharge {
  /** The bill of all calls that the caller pays for; undefined: there are none. */
  readonly bill: Bill | undefined;
  /** The part that the balance covered, paid from credits. */
  readonly cost: PicoUsd;
  /** The cost that is charged to no caller. */
  readonly operatorCost: PicoUsd;
  readonly isOverBound: boolean;
}

/** The figures of a row that its generation does not contain. */
export interface RowFigures {
  readonly hold: Pick<Hold, 'id' | 'heldAt' | 'counters'>;
  /** The amount that was reserved, before the settlement extended it. */
  readonly bound: HeldAmounts;
  /** The plausible usage of all calls that the caller pays for. */
  readonly usage: Usage;
  readonly charged: GenerationCharge;
  readonly images: number;
  /** Epoch milliseconds. */
  readonly settledAt: number;
  readonly priceVersion: string | null;
}

/** The record of a settled generation, which `/generation` and `/activity` read. */
export function buildGenerationRow(generation: Generation, figures: RowFigures): Settlement {
  const { hold, bound, charged, images } = figures;
  const usage = figures.usage.iterations ? withCompactions(figures.usage) : figures.usage;
  const { request, caller, recorded, cached, outcome = 'running', toolUses, beganAt, committedAt } = generation;
  const reached = recorded?.leg ?? lastReached(generation);
  // A call of a loop that ended with calls of the gateway's tools is not the end of a reply that was cut off.
  const isEnd = outcome === 'completed' || outcome === 'running' || recorded?.stop?.unified !== 'tool-use';
  const searches = toolUses.length > 0 ? listSearches(toolUses) : NO_SEARCHES;
  const isSearchedByVendor = (usage.webSearchRequests ?? 0) > searches.count;
  return {
    id: hold.id,
    held_at: hold.heldAt,
    settled_at: new Date(figures.settledAt).toISOString(),
    account_id: caller.accountId,
    workspace_id: caller.workspaceId,
    key_hash: caller.keyHash,
    key_user: caller.userId,
    api_type: generation.api,
    requested_model: request.model,
    model: recorded?.leg.model.id ?? cached?.model ?? null,
    upstream_model: recorded?.leg.endpoint.upstreamModel ?? cached?.upstreamModel ?? null,
    provider: reached?.endpoint.provider.slug ?? cached?.provider ?? null,
    provider_name: reached?.endpoint.provider.name ?? cached?.providerName ?? null,
    endpoint: reached?.tag ?? cached?.endpoint ?? null,
    dialect: recorded ? dialectOf(recorded.leg.endpoint) : (cached?.dialect ?? null),
    upstream_id: recorded?.upstreamId ?? null,
    service_tier: charged.bill?.rate?.tier ?? recorded?.leg.tier ?? null,
    credential: recorded?.usesSharedCredential === false ? recorded.leg.credential : null,
    is_byok: recorded?.usesSharedCredential === false,
    streamed: request.stream,
    outcome,
    finish_reason: isEnd ? (recorded?.stop?.unified ?? null) : null,
    native_finish_reason: isEnd ? (recorded?.stop?.raw ?? null) : null,
    prompt_tokens: usage.inputTokens ?? 0,
    completion_tokens: usage.outputTokens ?? 0,
    reasoning_tokens: usage.reasoningTokens ?? 0,
    cache_read_tokens: usage.cacheReadTokens ?? 0,
    cache_write_tokens: usage.cacheWriteTokens ?? 0,
    cache_write_1h_tokens: usage.cacheWrite1hTokens ?? 0,
    images,
    web_searches: usage.webSearchRequests ?? 0,
    web_fetches: usage.webFetchRequests ?? 0,
    web_search_results: isSearchedByVendor ? null : searches.results,
    web_search_engine: searches.engine ?? (isSearchedByVendor ? 'native' : null),
    request_id: generation.origin?.requestId ?? null,
    bound: formatUsd(bound.credits),
    cost: formatUsd(charged.cost),
    byok_cost: formatUsd(charged.bill?.byokCost ?? 0n),
    prompt_cost: formatUsd(charged.bill?.list.prompt ?? 0n),
    completion_cost: formatUsd(charged.bill?.list.completion ?? 0n),
    tools_cost: formatUsd(charged.bill?.list.tools ?? 0n),
    operator_cost: formatUsd(charged.operatorCost),
    price_version: figures.priceVersion,
    is_estimated: usage.estimated === true,
    is_over_bound: charged.isOverBound,
    is_recovered: false,
    is_corrected: false,
    latency_ms: committedAt === undefined ? null : Math.round(committedAt - beganAt),
    generation_ms: Math.round(performance.now() - beganAt),
    session_id: request.sessionId ?? null,
    end_user: request.user ?? (request.metadata && endUserOf(request)) ?? null,
    trace: request.trace ? recordedTrace(request.trace) : null,
    tags: request.tags ?? null,
    preset_id: request.preset?.id ?? null,
    response_cache_source_id: cached?.sourceId ?? null,
    attempts: viewAttempts(generation, charged.cost),
    key_interval: hold.counters.keyInterval,
    budgets: hold.counters.budgets,
  };
}

/** The provider whose fault ended a request without an answer; undefined: no provider was reached. */
const lastReached = ({ calls }: Generation): PlannedLeg | undefined => calls.findLast(({ wasMade }) => wasMade)?.leg;

/**
 * The calls that were made, in their order. `started` counts from the acceptance of the request, `took` from there, in
 * milliseconds. `cost` is stated where not all of it belongs to a single call.
 */
function viewAttempts(generation: Generation, cost: PicoUsd): readonly JsonObject[] {
  const calls = generation.callsMade();
  const listsCosts = calls.length > 1 || generation.toolUses.length > 0;
  const attempts: JsonObject[] = [];
  for (const call of calls) {
    const { leg, status, isCredentialRefused, beganAt, endedAt, fault } = call;
    const { model, endpoint, tag, credential } = leg;
    const attempt: Record<string, Json> = {
      provider: endpoint.provider.name,
      model: model.id,
      endpoint: tag,
      status,
      started: Math.round(beganAt - generation.beganAt),
    };
    if (endedAt !== undefined) attempt['took'] = Math.round(endedAt - beganAt);
    if (fault) attempt['fault'] = fault.kind;
    if (credential !== SHARED_CREDENTIAL) attempt['is_byok'] = true;
    if (isCredentialRefused) attempt['credential_refused'] = true;
    if (listsCosts) attempt['cost'] = formatUsd(paidFor(call, generation, cost));
    attempts.push(attempt);
  }
  return attempts;
}

/** The part of the charge for this call. The answering call bears what no counter covered. */
function paidFor(call: ProviderCall, { calls, toolUses, recorded }: Generation, cost: PicoUsd): PicoUsd {
  const own = call.money?.bill?.cost ?? 0n;
  if (call !== recorded) return own < cost ? own : cost;
  let others = 0n;
  for (const use of toolUses) others += use.cost;
  for (const recordedCall of calls) if (recordedCall !== call) others += recordedCall.money?.bill?.cost ?? 0n;
  const left = cost > others ? cost - others : 0n;
  return own < left ? own : left;
}

/** The searches that the gateway made. */
interface Searches {
  readonly count: number;
  readonly results: number;
  readonly engine: string | undefined;
}

const NO_SEARCHES: Searches = { count: 0, results: 0, engine: undefined };

/** Vendors report only the number of their searches. */
function listSearches(toolUses: readonly ToolUseRecord[]): Searches {
  const searches = toolUses.flatMap(({ web }) => (web?.kind === 'search' ? [web] : []));
  return {
    count: searches.length,
    results: searches.reduce((sum, { results }) => sum + results, 0),
    engine: searches.at(-1)?.engine,
  };
}

/** Replaces exact numbers of the trace by doubles: the trace only groups records, and nothing is computed from it. */
const recordedTrace = (trace: JsonObject): JsonObject => JSON.parse(printJson(trace)) as JsonObject;
