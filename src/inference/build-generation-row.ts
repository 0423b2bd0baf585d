import type { StopReason } from '../core/conversation/event.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { withCompactions, type Usage } from '../core/conversation/usage.js';
import { printJson, type JsonObject } from '../core/json/json.js';
import type { Generation } from '../core/generation/generation.js';
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
  readonly hold: Hold;
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

/** That a call of a loop ended with calls of the gateway's tools is no end of a reply that was cut off. */
function toldStop({ recorded, outcome }: Generation): StopReason | undefined {
  const stop = recorded?.stop;
  return stop?.unified === 'tool-use' && outcome !== undefined && outcome !== 'completed' ? undefined : stop;
}

/** The record of a generation as it is settled: what `/generation` and `/activity` tell. */
export function buildGenerationRow(generation: Generation, figures: RowFigures): Settlement {
  const { hold, bound, charged, images, settledAt, priceVersion } = figures;
  const usage = withCompactions(figures.usage);
  const { request, caller, recorded, beganAt, committedAt } = generation;
  const { bill } = charged;
  const leg = recorded?.leg;
  const isByok = recorded?.isShared === false;
  const stop = toldStop(generation);
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
    service_tier: bill?.rate.tier ?? leg?.tier ?? null,
    credential: leg && isByok ? leg.credential : null,
    is_byok: isByok,
    streamed: request.stream,
    outcome: generation.outcome ?? 'running',
    finish_reason: stop?.unified ?? null,
    native_finish_reason: stop?.raw ?? null,
    prompt_tokens: usage.inputTokens ?? 0,
    completion_tokens: usage.outputTokens ?? 0,
    reasoning_tokens: usage.reasoningTokens ?? 0,
    cache_read_tokens: usage.cacheReadTokens ?? 0,
    cache_write_tokens: usage.cacheWriteTokens ?? 0,
    cache_write_1h_tokens: usage.cacheWrite1hTokens ?? 0,
    images,
    web_searches: usage.webSearchRequests ?? 0,
    web_fetches: usage.webFetchRequests ?? 0,
    ...searchColumns(generation, usage),
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
    trace: recordedTrace(request.trace),
    attempts: generation.attempts().map(({ leg: called, status, isCredentialRefused }) => ({
      provider: called.endpoint.provider.name,
      model: called.model.id,
      endpoint: called.tag,
      status,
      ...(called.credential !== SHARED_CREDENTIAL && { is_byok: true }),
      ...(isCredentialRefused && { credential_refused: true }),
    })),
    key_interval: hold.counters.keyInterval,
    budgets: hold.counters.budgets,
  };
}

/** What is known of searches: vendors tell how many they made, and no more. */
function searchColumns({ toolUses }: Generation, { webSearchRequests = 0 }: Usage) {
  const searches = toolUses.flatMap(({ web }) => (web?.kind === 'search' ? [web] : []));
  const isByVendor = webSearchRequests > searches.length;
  return {
    web_search_results: isByVendor ? null : searches.reduce((sum, { results }) => sum + results, 0),
    web_search_engine: searches.at(-1)?.engine ?? (isByVendor ? 'native' : null),
  };
}

/** Its numbers become doubles: it groups records, nothing is computed from it. */
const recordedTrace = (trace: ModelRequest['trace']): JsonObject | null =>
  trace ? (JSON.parse(printJson(trace)) as JsonObject) : null;
