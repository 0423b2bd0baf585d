import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type Metric,
  type MetricObjectWithValues,
  type MetricValue,
} from 'prom-client';
import type { Usage } from '../../core/conversation/usage.js';
import { ERROR_KINDS } from '../../core/errors.js';
import { ENDINGS, type CallOutcome, type EndingName } from '../../core/generation/ending.js';
import { StateGauges, type StateSample, type WatchedState } from './state-gauges.js';

/** Media type of the Prometheus text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * - `over_bound`: a reply cost more than was held
 * - `implausible`: a provider reported more than is possible; the reply is charged at its bound
 * - `widened`: later calls of an endpoint are held for the actual amount
 * - `estimated`: a provider reported no usage, or not all of it
 * - `zero_usage`: a charged reply amounts to nothing at a price
 * - `spooled`: a settlement waits on disk for the database
 * - `kept`: a settlement waits in memory, because the disk does not accept it
 * - `recovered`: a generation was settled for an ended replica
 * - `restored`: a hold that the database lost was written back
 * - `late`: a hold was missing, and less was charged than the call amounts to
 * - `lost`: a settlement could be written nowhere
 * - `forgotten`: a counter of a user, member or tag was reset
 */
const LEDGER_EVENTS = [
  'over_bound',
  'implausible',
  'widened',
  'estimated',
  'zero_usage',
  'spooled',
  'kept',
  'recovered',
  'restored',
  'late',
  'lost',
  'forgotten',
] as const;
export type LedgerEvent = (typeof LEDGER_EVENTS)[number];

/**
 * The outcome of a call that was abandoned by its caller or at its time limit.
 * - `stopped`: its provider stopped
 * - `read`: the rest was read and dropped, because its provider bills all of it
 * - `failed`: its provider failed meanwhile
 * - `cut`: it was cut off, although all of it is billed
 */
const ABANDONMENTS = ['stopped', 'read', 'failed', 'cut'] as const;
export type Abandonment = (typeof ABANDONMENTS)[number];

/** Outcomes of events for destinations: an attempt was accepted or failed; a delivery is no longer tried. */
const OUTBOX_OUTCOMES = ['delivered', 'failed', 'given_up'] as const;
export type OutboxOutcome = (typeof OUTBOX_OUTCOMES)[number];

/**
 * The target of a later call of a run: another `endpoint` of the same model, or another `model` that the caller or a
 * guardrail named as a fallback.
 */
const FALLBACKS = ['endpoint', 'model'] as const;
export type FallbackKind = (typeof FALLBACKS)[number];

/** The kinds of tokens, as values of the label. */
const DIRECTIONS = ['input', 'output', 'cache_read', 'cache_write'] as const;

/** The recipient of a call. */
export interface MeasuredLeg {
  /** Slug. */
  readonly provider: string;
  /** Id in the catalog; a label only if so configured. */
  readonly model: string;
}

export interface MetricsOptions {
  /** Whether counters of calls have the label `model`. */
  readonly labelsModels?: boolean;
}

/** One metric with its values, as sent between the processes of `WORKERS`. */
export type MetricReport = MetricObjectWithValues<MetricValue<string>>;

const LABEL_VALUES_MAX = 200;
/**
 * Limit of models whose series exist before they are called: the other values of the label are reserved for called
 * models.
 */
const MODELS_BEGUN_MAX = LABEL_VALUES_MAX / 2;
const METHODS = new Set(['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']);
const OTHER = 'other';

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];
const UPSTREAM_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];
const STATEMENT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
const FIRST_TOKEN_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 20, 40, 80, 120];

let ofProcess: readonly Metric[] | undefined;

/**
 * Node's metrics of the process, shared by all gateways in it: the library observes garbage collections and the event
 * loop, whose delay appears as nodejs_eventloop_lag_p50_seconds, …_p99_seconds and …_max_seconds, and never stops.
 */
function metricsOfProcess(): readonly Metric[] {
  if (ofProcess === undefined) {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    ofProcess = registry.getMetricsAsArray().map(({ name }) => registry.getSingleMetric(name)!);
  }
  return ofProcess;
}

/**
 * Admits the first two hundred values of a label; further ones share one value, so that no caller can grow the
 * registry.
 */
class BoundedValues<Value> {
  private readonly kept = new Map<string, Value>();
  private rest: Value | undefined;

  /** @param make creates the state of each admitted value, and of all others together */
  constructor(private readonly make: (bounded: string) => Value) {}

  get size(): number {
    return this.kept.size;
  }

  has(value: string): boolean {
    return this.kept.has(value);
  }

  /** The state of a value; undefined shares the state of the values beyond the limit. */
  of(value: string | undefined): Value {
    return (value === undefined ? this.rest : this.kept.get(value)) ?? this.add(value);
  }

  private add(value: string | undefined): Value {
    if (value === undefined || this.kept.size >= LABEL_VALUES_MAX) return (this.rest ??= this.make(OTHER));
    const kept = this.make(value);
    this.kept.set(value, kept);
    return kept;
  }
}

/** One series of a tally: the amount counted since the last transfer to the library. */
class Series {
  amount = 0;

  constructor(readonly values: readonly (string | number)[]) {}

  /**
   * @param amount ignored unless it is a positive number: the library throws for others, and values from providers are
   * not trusted
   */
  add(amount: number): void {
    if (amount > 0 && amount < Infinity) this.amount += amount;
  }
}

/**
 * A counter whose amounts are transferred to the library only when the metrics are requested: the library sorts and
 * prints the labels for every increment, which took a hundredth of the time of a request with several. Frequent users
 * keep the series.
 */
class Tally {
  private readonly series = new Map<string, Series>();

  constructor(
    registry: Registry,
    name: string,
    { help, labels }: { readonly help: string; readonly labels: readonly string[] },
  ) {
    const { series } = this;
    new Counter({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      collect() {
        for (const counter of series.values()) {
          this.inc(Object.fromEntries(labels.map((label, index) => [label, counter.values[index]!])), counter.amount);
          counter.amount = 0;
        }
      },
    });
  }

  /** Exported from then on, with 0 while nothing was counted. @param values of the labels, in order */
  of(...values: readonly (string | number)[]): Series {
    const key = values.join('\n');
    let series = this.series.get(key);
    if (!series) this.series.set(key, (series = new Series(values)));
    return series;
  }
}

/** The counters of a provider's calls; with model labels, of one model. */
interface CallSeries {
  /** Bounded, as all labels are. */
  readonly provider: string;
  /** Bounded; empty without model labels. */
  readonly model: readonly string[];
  readonly attempts: Map<CallOutcome, Series>;
  readonly input: Series;
  readonly output: Series;
  readonly cacheRead: Series;
  readonly cacheWrite: Series;
  readonly spend: Series;
}

interface ProviderSeries {
  readonly name: string;
  /** Series by model; under the empty name without model labels. */
  readonly calls: Map<string, CallSeries>;
}

type RequestLabels = Readonly<Record<'route' | 'streamed', string>>;

interface RouteSeries {
  readonly route: string;
  /** Series by method and status. */
  readonly answers: Map<string, Series>;
  readonly whole: RequestLabels;
  readonly streamed: RequestLabels;
}

/**
 * The metrics of this process, for Prometheus. No label names an account, key or workspace, a model only if so
 * configured, and each has a bounded number of values. Series whose labels are known at the start are exported with 0
 * from then on, because no increase is visible for a series that starts at 1. Recording costs less than half a
 * microsecond per figure; one instance per process, safe to share.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly routes = new BoundedValues<RouteSeries>((route) => ({
    route,
    answers: new Map(),
    whole: { route, streamed: 'false' },
    streamed: { route, streamed: 'true' },
  }));
  private readonly providers = new BoundedValues<ProviderSeries>((name) => this.beginProvider(name));
  private readonly models = new BoundedValues((name) => name);
  private readonly labelsModels: boolean;

  private readonly requests = new Tally(this.registry, 'fairlead_requests_total', {
    help: 'Requests answered, by route pattern, method and HTTP status.',
    labels: ['route', 'method', 'status'],
  });
  private readonly requestSeconds = new Histogram({
    name: 'fairlead_request_duration_seconds',
    help: 'From the arrival of a request to the end of its answer.',
    labelNames: ['route', 'streamed'],
    buckets: REQUEST_SECONDS,
    registers: [this.registry],
  });
  private readonly refusals = new Tally(this.registry, 'fairlead_refusals_total', {
    help: 'Requests that this gateway refused or failed by itself, by reason. Faults of providers are attempts.',
    labels: ['reason'],
  });
  private readonly outboxEvents = new Tally(this.registry, 'fairlead_outbox_events_total', {
    help: 'Events for destinations: attempts that were delivered or failed, and events that were given up.',
    labels: ['type', 'outcome'],
  });
  private readonly attempts: Tally;
  private readonly attemptSeconds: Histogram;
  private readonly firstTokenSeconds: Histogram;
  private readonly tokenCounts: Tally;
  private readonly fallbacks: Tally;
  private readonly spend: Tally;
  private readonly openStreams: Gauge;
  private readonly abandonments: Tally;
  private readonly unseenCalls: Gauge;
  private readonly ledgerEvents: Counter;
  private readonly operatorCosts: Tally;
  private readonly statementSeconds: Histogram;
  private readonly states: StateGauges;

  constructor({ labelsModels = false }: MetricsOptions = {}) {
    this.labelsModels = labelsModels;
    const { registry } = this;
    const registers = [registry];
    const model = labelsModels ? ['model'] : [];
    const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers });
    this.attempts = new Tally(registry, 'fairlead_upstream_attempts_total', {
      help: 'Calls to providers, by how they ended.',
      labels: ['provider', 'outcome', ...model],
    });
    this.attemptSeconds = new Histogram({
      name: 'fairlead_upstream_duration_seconds',
      help: 'From the start of a call to a provider to its end.',
      labelNames: ['provider'],
      buckets: UPSTREAM_SECONDS,
      registers,
    });
    this.firstTokenSeconds = new Histogram({
      name: 'fairlead_time_to_first_token_seconds',
      help: 'From the start of a call to a provider to the first event with content.',
      labelNames: ['provider'],
      buckets: FIRST_TOKEN_SECONDS,
      registers,
    });
    this.tokenCounts = new Tally(registry, 'fairlead_tokens_total', {
      help: 'Tokens that providers reported: input (not cached), output, cache_read, cache_write.',
      labels: ['provider', 'direction', ...model],
    });
    this.fallbacks = new Tally(registry, 'fairlead_fallbacks_total', {
      help: 'Answers of another endpoint or model than the one that was called first.',
      labels: ['kind', ...model],
    });
    this.spend = new Tally(registry, 'fairlead_spend_usd_total', {
      help: 'USD that callers were charged for calls, by who was called, as generations were settled.',
      labels: ['provider', ...model],
    });
    this.openStreams = gauge('fairlead_open_streams', 'Streamed replies that are open now.');
    this.abandonments = new Tally(registry, 'fairlead_abandoned_calls_total', {
      help: 'Calls that were left after they had been sent, by what became of them: stopped, read, failed, cut.',
      labels: ['provider', 'outcome'],
    });
    this.unseenCalls = gauge(
      'fairlead_unseen_calls',
      'Calls that run on without their callers, because their providers bill all of them.',
    );
    this.ledgerEvents = new Counter({
      name: 'fairlead_ledger_events_total',
      help: 'What is out of the ordinary in the ledger: see docs/operate/observability.md.',
      labelNames: ['event'],
      registers,
    });
    this.operatorCosts = new Tally(registry, 'fairlead_operator_cost_usd_total', {
      help: 'USD that providers and engines ask for and no caller pays, as generations were settled.',
      labels: ['provider'],
    });
    this.statementSeconds = new Histogram({
      name: 'fairlead_database_statement_duration_seconds',
      help: 'Statements of the request path, from the request to the answer, with the wait for a connection.',
      buckets: STATEMENT_SECONDS,
      registers,
    });
    this.states = new StateGauges(registry);
    for (const metric of metricsOfProcess()) registry.registerMetric(metric);
    this.beginClosedSets();
  }

  /** @param read called when the metrics are requested */
  watch(state: WatchedState, read: () => readonly StateSample[]): void {
    this.states.watch(state, read);
  }

  /**
   * Creates the series of the legs before they are called: for each catalog, and for credentials that are added to it.
   */
  know(legs: readonly MeasuredLeg[]): void {
    for (const { provider } of legs) this.providers.of(provider);
    if (!this.labelsModels || new Set(legs.map(({ model }) => model)).size > MODELS_BEGUN_MAX) return;
    for (const leg of legs) {
      if (!this.models.has(leg.model) && this.models.size >= MODELS_BEGUN_MAX) continue;
      const model = this.models.of(leg.model);
      // For single models, outcomes that may never occur are left out.
      this.attempts.of(this.callsOf(leg).provider, 'answered', model);
      for (const kind of FALLBACKS) this.fallbacks.of(kind, model);
    }
  }

  /**
   * Counts an answered request.
   * @param route the pattern of the route, undefined where none matched
   * @param outcome counted where the gateway refused it or failed; other values are not refusals
   */
  request(
    route: string | undefined,
    method: string,
    status: number,
    seconds: number,
    streamed: boolean,
    outcome: EndingName,
  ): void {
    const series = this.routes.of(route);
    const known = METHODS.has(method) ? method : OTHER;
    const key = `${known} ${status}`;
    let answers = series.answers.get(key);
    if (!answers) series.answers.set(key, (answers = this.requests.of(series.route, known, status)));
    answers.amount++;
    this.requestSeconds.observe(streamed ? series.streamed : series.whole, seconds);
    if (REFUSALS.has(outcome)) this.refusals.of(outcome).amount++;
  }

  /**
   * Counts a finished call to a provider.
   * @param usage the last one of its reply, as its provider reports it; absent: there is none that counts
   */
  attempt(leg: MeasuredLeg, outcome: CallOutcome, seconds: number, usage?: Usage): void {
    const { provider, model, attempts, input, output, cacheRead, cacheWrite } = this.callsOf(leg);
    let series = attempts.get(outcome);
    if (!series) attempts.set(outcome, (series = this.attempts.of(provider, outcome, ...model)));
    series.amount++;
    this.attemptSeconds.observe({ provider }, seconds);
    if (!usage) return;
    if (usage.inputTokens) input.add(usage.inputTokens);
    if (usage.outputTokens) output.add(usage.outputTokens);
    if (usage.cacheReadTokens) cacheRead.add(usage.cacheReadTokens);
    const cacheWrites = (usage.cacheWriteTokens ?? 0) + (usage.cacheWrite1hTokens ?? 0);
    if (cacheWrites) cacheWrite.add(cacheWrites);
  }

  /** Counts the first committing event of a streamed call. */
  firstToken(provider: string, seconds: number): void {
    this.firstTokenSeconds.observe({ provider: this.providers.of(provider).name }, seconds);
  }

  /** Counts an answer of another call than the first. @param model the one that answers */
  fellBack(kind: FallbackKind, model: string): void {
    this.fallbacks.of(kind, ...(this.labelsModels ? [this.models.of(model)] : [])).amount++;
  }

  /** The amount a caller is charged for a call. @param usd 0 is not counted */
  spent(leg: MeasuredLeg, usd: number): void {
    this.callsOf(leg).spend.add(usd);
  }

  /** Counts an abandoned call at its end. */
  abandoned(provider: string, outcome: Abandonment): void {
    this.abandonments.of(this.providers.of(provider).name, outcome).amount++;
  }

  unseenCallOpened(): void {
    this.unseenCalls.inc();
  }

  unseenCallClosed(): void {
    this.unseenCalls.dec();
  }

  streamOpened(): void {
    this.openStreams.inc();
  }

  streamClosed(): void {
    this.openStreams.dec();
  }

  /** An amount that a provider charges and no caller pays. @param usd 0 is not counted */
  operatorCost(provider: string, usd: number): void {
    this.operatorCosts.of(this.providers.of(provider).name).add(usd);
  }

  /** Operator cost of an engine of a tool or plugin. The prefix distinguishes it from a provider of the same name. */
  engineCost(engine: string, usd: number): void {
    this.operatorCosts.of(`engine:${engine}`).add(usd);
  }

  /** Counts an unusual event of the ledger. */
  ledgerEvent(event: LedgerEvent, count = 1): void {
    this.ledgerEvents.inc({ event }, count);
  }

  /** Creates the series of types of events before the first of them. */
  knowEvents(types: readonly string[]): void {
    for (const type of types) for (const outcome of OUTBOX_OUTCOMES) this.outboxEvents.of(type, outcome);
  }

  /** Counts what became of events for destinations. */
  outboxEvent(type: string, outcome: OutboxOutcome, count = 1): void {
    this.outboxEvents.of(type, outcome).amount += count;
  }

  /** A statement of the request path was answered, or failed. */
  readonly statement = (seconds: number): void => this.statementSeconds.observe(seconds);

  /** The Prometheus text of this process alone. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** The figures in a form that can be added to those of other processes. */
  report(): Promise<MetricReport[]> {
    return this.registry.getMetricsAsJSON();
  }

  private beginClosedSets(): void {
    for (const event of LEDGER_EVENTS) this.ledgerEvents.inc({ event }, 0);
    for (const kind of ERROR_KINDS) this.refusals.of(kind);
    if (!this.labelsModels) for (const kind of FALLBACKS) this.fallbacks.of(kind);
  }

  private beginProvider(name: string): ProviderSeries {
    this.operatorCosts.of(name);
    for (const outcome of ABANDONMENTS) this.abandonments.of(name, outcome);
    this.attemptSeconds.zero({ provider: name });
    this.firstTokenSeconds.zero({ provider: name });
    const series: ProviderSeries = { name, calls: new Map() };
    if (this.labelsModels) return series;
    this.beginCalls(series, '');
    for (const outcome of OUTCOMES) this.attempts.of(name, outcome);
    return series;
  }

  /** The counters of a provider's calls; with model labels, of one model. */
  private callsOf({ provider, model }: MeasuredLeg): CallSeries {
    const series = this.providers.of(provider);
    const name = this.labelsModels ? this.models.of(model) : '';
    return series.calls.get(name) ?? this.beginCalls(series, name);
  }

  private beginCalls({ name: provider, calls }: ProviderSeries, name: string): CallSeries {
    const model = name === '' ? [] : [name];
    const [input, output, cacheRead, cacheWrite] = DIRECTIONS.map((direction) =>
      this.tokenCounts.of(provider, direction, ...model),
    ) as [Series, Series, Series, Series];
    const spend = this.spend.of(provider, ...model);
    const series = { provider, model, attempts: new Map(), input, output, cacheRead, cacheWrite, spend };
    calls.set(name, series);
    return series;
  }
}

const REFUSALS: ReadonlySet<string> = new Set(ERROR_KINDS);
const OUTCOMES: ReadonlySet<CallOutcome> = new Set(Object.values(ENDINGS).map(({ outcome }) => outcome));
