import type { PresetUse } from '../core/conversation/preset-use.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { Untranslatable } from '../core/errors.js';
import { endpointBeside } from '../core/money/advisors.js';
import { formatUsd } from '../core/money/credits.js';
import type { Endpoint } from '../core/routing/catalog.js';
import { EXCLUSION_MEANINGS } from '../core/routing/availability.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { EndpointHealth, Percentiles } from '../core/routing/health.js';
import { comparedPrice } from '../core/routing/leg-price.js';
import type { Exclusion, Plan, PlannedLeg } from '../core/routing/plan.js';
import type { NamedChoice, RouteNeeds } from '../core/routing/route-inputs.js';
import { strategyOf } from '../core/routing/router-metadata.js';
import { kindOf } from '../core/tool.js';
import { printWarning } from '../core/warning.js';
import type { LegForecast } from '../inference/billing/admission.js';
import type { ForecastCall, ForecastPlan, ForecastTool, ToolModel } from '../inference/explain-route.js';
import type { PluginState } from '../inference/plugins/active-plugins.js';
import { CALL_PURPOSES } from '../faces/messages/view-reply.js';
import type { HealthView, ForecastView, PlanView } from './explain-schema.js';
import { viewPrices } from './view-prices.js';

/**
 * The answer of `POST /routing/explain`: a plan in the form of the API (docs/use/routing.md#asking-why). A pure
 * function of the plan and the prompt's length. The order of its keys is fixed and it contains no time of its own, so
 * that the same inputs give the same bytes.
 * @param needs the needs of the plan: prices may depend on the prompt's length
 * @param details the cost of each leg, the fields that it would not be sent, and what runs each tool; absent: only the
 *   plan
 */
export function explainView(
  plan: Plan,
  { promptTokensMin }: Pick<RouteNeeds, 'promptTokensMin'>,
  details: Partial<Omit<ForecastPlan, 'inputs' | 'plan' | 'reveal'>> &
    Pick<ModelRequest, 'tags'> & {
      readonly preset?: PresetUse;
    } = {},
): { data: PlanView } {
  const {
    forecast,
    refusals,
    dropped,
    tools = [],
    plugins = [],
    consulted = [],
    warnings = [],
    choice,
    tags,
    preset,
    budgetsLeft = [],
  } = details;
  return {
    data: {
      requested: plan.requested,
      strategy: strategyOf(plan),
      models: plan.models,
      ...(choice && { choice: viewChoice(choice) }),
      ordering: plan.ordering,
      seed: plan.seed,
      catalog_hash: plan.catalog,
      session: viewSession(plan),
      attempts_max: plan.attemptsMax,
      candidates: plan.legs.map((leg, index) => ({
        ...viewCandidate(leg, index + 1, promptTokensMin, forecast?.get(leg)),
        dropped: dropped?.get(leg) ?? [],
        ...viewRefusal(refusals?.get(leg)),
      })),
      excluded: plan.excluded.map(viewExclusion),
      ...(preset && { preset: { ...preset } }),
      ...(tags && { tags }),
      ...(budgetsLeft.length > 0 && { budgets: budgetsLeft }),
      ...(plugins.length > 0 && { plugins: plugins.map(viewPlugin) }),
      ...(tools.length > 0 && { tools: tools.map((tool) => viewTool(tool, promptTokensMin)) }),
      ...(consulted.length > 0 && { consulted: consulted.map(viewConsulted) }),
      ...(warnings.length > 0 && { warnings: warnings.map(printWarning) }),
      ...(plan.unknownProviders && {
        unknown_providers: plan.unknownProviders.map(({ field, name, nearest }) => ({ field, name, nearest })),
      }),
    },
  };
}

const viewChoice = ({ by, summary, details = {}, ranking = [] }: NamedChoice): NonNullable<PlanView['choice']> => ({
  by,
  summary,
  details,
  ranking,
});

/** Whether the session determined the draw, and its previous pins. */
function viewSession({ ordering, legs }: Plan): PlanView['session'] {
  const pins = new Map<string, string>();
  for (const { isPinned, model, tag } of legs) if (isPinned) pins.set(model.id, tag);
  return {
    decides: ordering === 'session',
    pins: [...pins].map(([model, tag]) => ({ model, tag })),
  };
}

function viewCandidate(
  leg: PlannedLeg,
  position: number,
  promptTokensMin: number,
  forecast: LegForecast | undefined,
): Omit<PlanView['candidates'][number], 'dropped'> {
  const { slug, name } = leg.endpoint.provider;
  return {
    position,
    model: leg.model.id,
    provider: slug,
    provider_name: name,
    tag: leg.tag,
    tier: leg.tier,
    geography: leg.endpoint.geography?.word ?? null,
    credential: leg.credential,
    is_byok: leg.credential !== SHARED_CREDENTIAL,
    weight: leg.weight ?? null,
    price: viewPrices(leg, promptTokensMin),
    price_per_million: leg.price,
    ...(forecast && viewForecast(forecast)),
    set_back: leg.setBack ?? null,
    pinned: leg.isPinned ?? false,
    health: leg.health ? viewHealth(leg.health) : null,
  };
}

const viewPlugin = ({ plugin, isOn, setBy, isRequestOverruled }: PluginState) => ({
  id: plugin.id,
  enabled: isOn,
  set_by: setBy,
  override_prevented: isRequestOverruled,
});

type ToolView = NonNullable<PlanView['tools']>[number];

/** @param promptTokensMin of the request, which a vendor's advisor reads too */
function viewTool(
  { tool, type, name, runsAt, offer, nativeAt, consulted }: ForecastTool,
  promptTokensMin: number,
): ToolView {
  const served = offer?.runsAt === 'gateway' ? offer : undefined;
  const advisor = tool.type === 'vendor' ? tool.advisor : undefined;
  const atVendors = nativeAt.map(({ endpoint }) => advisor && endpointBeside(advisor, endpoint));
  return {
    type,
    runs_at: runsAt ?? null,
    function: name ?? null,
    engine: served?.engine ?? null,
    model: served?.model ?? consulted?.model ?? advisor?.id ?? null,
    ...(consulted ? viewToolModel(consulted) : viewCheapest(atVendors, promptTokensMin)),
    ...(served && {
      price: formatUsd(served.price),
      uses_max: Number.isFinite(served.usesMax) ? served.usesMax : null,
    }),
    native_at: nativeAt.map(({ tag, endpoint: { pricing } }, index) => ({
      tag,
      // The only tool for which vendors have a separate price.
      price: kindOf(type) === 'web_search' && pricing?.webSearch !== undefined ? formatUsd(pricing.webSearch) : null,
      ...viewCheapest([atVendors[index]], promptTokensMin),
    })),
  };
}

const viewToolModel = ({
  cheapest,
  promptTokensMin,
  refusal,
}: ToolModel): Pick<ToolView, 'model_pricing' | 'refusal'> => ({
  model_pricing: cheapest ? viewPrices(cheapest, promptTokensMin) : null,
  ...(refusal !== undefined && { refusal }),
});

/**
 * The prices of the cheapest endpoint at which vendors consult a model themselves: they use no tier, whatever the tier
 * of the answer.
 */
function viewCheapest(
  endpoints: readonly (Endpoint | undefined)[],
  promptTokensMin: number,
): { model_pricing?: ReturnType<typeof viewPrices> } {
  const priceOf = ({ pricing }: Endpoint): number => comparedPrice(pricing, 'standard', { promptTokensMin });
  const [cheapest] = endpoints
    .filter((endpoint) => endpoint !== undefined)
    .sort((one, other) => priceOf(one) - priceOf(other));
  return cheapest ? { model_pricing: viewPrices({ endpoint: cheapest, tier: 'standard' }, promptTokensMin) } : {};
}

const viewConsulted = ({
  kind,
  model,
  bound,
  refusal,
  tools,
  toolUsesMax,
}: ForecastCall): NonNullable<PlanView['consulted']>[number] => ({
  type: CALL_PURPOSES[kind],
  model,
  bound: bound === undefined ? null : formatUsd(bound),
  ...(refusal !== undefined && { refusal }),
  tool_uses_max: Number.isFinite(toolUsesMax) ? toolUsesMax : null,
  tools: tools.map(({ type, runsAt, offer }) => ({
    type,
    runs_at: runsAt ?? null,
    ...(offer?.runsAt === 'gateway' && { price: formatUsd(offer.price) }),
  })),
});

/** Absent where its provider can be sent the request. */
const viewRefusal = (refusal: Untranslatable | undefined): Pick<PlanView['candidates'][number], 'untranslatable'> =>
  refusal ? { untranslatable: { field: refusal.path, reason: refusal.reason } } : {};

/** Exact decimal USD: the most it can cost, and whether the counters would grant that now. */
function viewForecast({ bound, refused }: LegForecast): ForecastView {
  return {
    bound: formatUsd(bound.credits),
    ...(bound.byok > 0n && { byok_bound: formatUsd(bound.byok) }),
    would_be_granted: refused === undefined,
    refused_by: refused ? { ...refused, limit: formatUsd(refused.limit), left: formatUsd(refused.left) } : null,
  };
}

/** Latency in seconds, throughput in tokens per second; `null` where there were too few calls. */
function viewHealth({ latency, throughput, faultShare, isOut, widening }: EndpointHealth): HealthView {
  return {
    latency: viewPercentiles(latency),
    throughput: viewPercentiles(throughput),
    fault_share: faultShare ?? null,
    out: isOut,
    ...(widening && { widening: { input: widening.input, output: widening.output } }),
  };
}

const viewPercentiles = (figures: Percentiles | undefined): HealthView['latency'] =>
  figures ? { p50: figures.p50, p75: figures.p75, p90: figures.p90, p99: figures.p99 } : null;

function viewExclusion({
  model,
  tag,
  provider,
  credential,
  reason,
  detail,
  cooling,
}: Exclusion): PlanView['excluded'][number] {
  return {
    model,
    tag: tag ?? null,
    provider: provider ?? null,
    ...(credential !== undefined && { credential }),
    reason,
    words: EXCLUSION_MEANINGS[reason].words,
    ...(detail !== undefined && { detail }),
    ...(cooling && { cooling_by: cooling.by, retry_at: new Date(cooling.until).toISOString() }),
  };
}
