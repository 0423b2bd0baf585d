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
import type { Usage } from '../core/conversation/usage.js';
import { ERROR_KINDS } from '../core/errors.js';
import { ENDINGS, type CallOutcome, type EndingName } from '../core/generation/ending.js';
import { StateGauges, type StateSample, type WatchedState } from './state-gauges.js';

/** Media type of the text that Prometheus reads. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * `over_bound`: a reply cost more than was held. `implausible`: its provider reported more than can be, and it is
 * charged at its bound. `widened`: later calls of that endpoint are held for what it came to. `estimated`: its provider
 * reported no usage, or not all of it. `zero_usage`: a charged reply came to nothing at a price. `spooled`: a
 * settlement waits on disk for the database; `kept`: in memory, for the disk does not take it. `recovered`: settled for
 * a replica that is gone. `restored`: a hold that the database lost was written back. `late`: a hold was gone, and less
 * was charged than the call came to. `lost`: a settlement could be written nowhere.
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
] as const;
export type LedgerEvent = (typeof LEDGER_EVENTS)[number];

/**
 * What became of a call that was left, by its caller or because its time was over: its provider stopped; it was `read`
 * to its end, unseen, because its provider bills all of it; its provider `failed` meanwhile; or it was `cut` although
 * all of it is billed.
 */
const ABANDONMENTS = ['stopped', 'read', 'failed', 'cut'] as const;
export type Abandonment = (typeof ABANDONMENTS)[number];

/**
 * How an answer came of another call than the first of its run: another `endpoint` of the same model, or another
 * `model` that its caller, or a guardrail, named for that.
 */
const FALLBACKS = ['endpoint', 'model'] as const;
export type FallbackKind = (typeof FALLBACKS)[number];

/** Where tokens go, in the words of the label. */
const DIRECTIONS = ['input', 'output', 'cache_read', 'cache_write'] as const;

/** Whom a call goes to. */
export interface MeasuredLeg {
  /** Slug. */
  readonly provider: string;
  /** Id in the catalog; told where the settings say so. */
  readonly model: string;
}

export interface MetricsOptions {
  /** Counters of calls have a label `model` as well. */
  readonly tellsModels?: boolean;
}

/** One metric with its values, as it travels between the processes of `WORKERS`. */
export type MetricReport = MetricObjectWithValues<MetricValue<string>>;

const LABEL_VALUES_MAX = 200;
/** Models that are told before they are called: the other values of the label are for those that are. */
const MODELS_BEGUN_MAX = LABEL_VALUES_MAX / 2;
const METHODS = new Set(['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']);
const OTHER = 'other';

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];
const UPSTREAM_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];
const STATEMENT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
const FIRST_TOKEN_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 20, 40, 80, 120];

let ofProcess: readonly Metric[] | undefined;

/**
 * What Node tells of the process, the same for all gateways in it: the library watches garbage collections and the
 * event loop, whose delay comes as nodejs_eventloop_lag_p50_seconds, …_p99_seconds and …_max_seconds, and never stops.
 */
function metricsOfProcess(): readonly Metric[] {
  if (ofProcess === undefined) {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    ofProcess = registry.getMetricsAsArray().map(({ name }) => registry.getSingleMetric(name)!);
  }
  return ofProcess;
}

/** Lets the first two hundred values of a label through; those after them are one: no caller can grow the registry. */
class BoundedValues<Kept> {
  private readonly kept = new Map<string, Kept>();
  private rest: Kept | undefined;

  /** @param make what is kept of each value that is let through, and of all others as one */
  constructor(private readonly make: (bounded: string) => Kept) {}

  get size(): number {
    return this.kept.size;
  }

  has(value: string): boolean {
    return this.kept.has(value);
  }

  /** What is kept of a value; undefined is one of the others. */
  of(value: string | undefined): Kept {
    return (value === undefined ? this.rest : this.kept.get(value)) ?? this.add(value);
  }

  private add(value: string | undefined): Kept {
    if (value === undefined || this.kept.size >= LABEL_VALUES_MAX) return (this.rest ??= this.make(OTHER));
    const kept = this.make(value);
    this.kept.set(value, kept);
    return kept;
  }
}

/** One series of a tally: what was counted since the library heard of it. */
class Series {
  amount = 0;

  constructor(readonly values: readonly (string | number)[]) {}

  /**
   * @param amount ignored unless it is a positive number: the library throws for others, and what providers report
   *   is not ours to vouch for
   */
  add(amount: number): void {
    if (amount > 0 && amount < Infinity) this.amount += amount;
  }
}

/**
 * A counter of the library's that hears of what was counted only when somebody asks: it sorts and prints the labels of
 * every single increment, which at several of them a request was a hundredth of its time. Whoever counts often keeps
 * the series.
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
        for (const one of series.values()) {
          this.inc(Object.fromEntries(labels.map((label, index) => [label, one.values[index]!])), one.amount);
          one.amount = 0;
        }
      },
    });
  }

  /** Shown from then on, with 0 while nothing was counted. @param values of the labels, in their order */
  of(...values: readonly (string | number)[]): Series {
    const key = values.join('\n');
    let series = this.series.get(key);
    if (!series) this.series.set(key, (series = new Series(values)));
    return series;
  }
}

/** What is counted of the calls of a provider; with labels of models, of one model alone. */
interface CallSeries {
  /** Bounded, as all labels are. */
  readonly provider: string;
  /** Bounded; none without labels of models. */
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
  /** By model; under the empty name without labels of models. */
  readonly calls: Map<string, CallSeries>;
}

type RequestLabels = Readonly<Record<'route' | 'streamed', string>>;

interface RouteSeries {
  readonly route: string;
  /** By method and status. */
  readonly answers: Map<string, Series>;
  readonly whole: RequestLabels;
  readonly streamed: RequestLabels;
}

/**
 * What this process measures, for Prometheus. No label tells an account, key or workspace, a model only where the
 * settings say so, and each has a bounded number of values. What is known of labels at the start is told from then on,
 * with 0: of a series that begins at 1 no increase is seen. Recording costs less than half a microsecond a figure; one
 * instance per process, safe to share.
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
  private readonly tellsModels: boolean;

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

  constructor({ tellsModels = false }: MetricsOptions = {}) {
    this.tellsModels = tellsModels;
    const { registry } = this;
    const registers = [registry];
    const model = tellsModels ? ['model'] : [];
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
    this.openStreams = new Gauge({
      name: 'fairlead_open_streams',
      help: 'Streamed replies that are open now.',
      registers,
    });
    this.abandonments = new Tally(registry, 'fairlead_abandoned_calls_total', {
      help: 'Calls that were left after they had been sent, by what became of them: stopped, read, failed, cut.',
      labels: ['provider', 'outcome'],
    });
    this.unseenCalls = new Gauge({
      name: 'fairlead_unseen_calls',
      help: 'Calls that run on without their callers, because their providers bill all of them.',
      registers,
    });
    this.ledgerEvents = new Counter({
      name: 'fairlead_ledger_events_total',
      help: 'What is out of the ordinary in the ledger: see docs/operating.md.',
      labelNames: ['event'],
      registers,
    });
    this.operatorCosts = new Tally(registry, 'fairlead_operator_cost_usd_total', {
      help: 'USD that providers and engines ask for and no caller pays, as generations were settled.',
      labels: ['provider'],
    });
    this.statementSeconds = new Histogram({
      name: 'fairlead_database_statement_duration_seconds',
      help: 'Statements of the request path, from being asked for to their answer, with the wait for a connection.',
      buckets: STATEMENT_SECONDS,
      registers,
    });
    this.states = new StateGauges(registry);
    for (const metric of metricsOfProcess()) registry.registerMetric(metric);
    this.beginClosedSets();
  }

  /** @param read asked when somebody asks for the metrics */
  watch(state: WatchedState, read: () => readonly StateSample[]): void {
    this.states.watch(state, read);
  }

  /** Shows the series of what may be called, before it is: of each catalog, and of credentials that come to it. */
  know(legs: readonly MeasuredLeg[]): void {
    for (const { provider } of legs) this.providers.of(provider);
    if (!this.tellsModels || new Set(legs.map(({ model }) => model)).size > MODELS_BEGUN_MAX) return;
    for (const leg of legs) {
      if (!this.models.has(leg.model) && this.models.size >= MODELS_BEGUN_MAX) continue;
      const model = this.models.of(leg.model);
      // Of each single model those outcomes are left out that it may never have.
      this.attempts.of(this.callsOf(leg).provider, 'answered', model);
      for (const kind of FALLBACKS) this.fallbacks.of(kind, model);
    }
  }

  /**
   * A request was answered.
   * @param route the pattern of the route, undefined where none matched
   * @param outcome counted where this gateway refused it or failed: other words are no refusals
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
   * A call to a provider ended.
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

  /** The first committing event of a streamed call came. */
  firstToken(provider: string, seconds: number): void {
    this.firstTokenSeconds.observe({ provider: this.providers.of(provider).name }, seconds);
  }

  /** An answer came of another call than the first. @param model the one that answers */
  fellBack(kind: FallbackKind, model: string): void {
    this.fallbacks.of(kind, ...(this.tellsModels ? [this.models.of(model)] : [])).amount++;
  }

  /** What a caller is charged for a call. @param usd nothing is counted of 0 */
  spent(leg: MeasuredLeg, usd: number): void {
    this.callsOf(leg).spend.add(usd);
  }

  /** A call was left, and has ended. */
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

  /** What a provider asks for and no caller pays. @param usd nothing is counted of 0 */
  operatorCost(provider: string, usd: number): void {
    this.operatorCosts.of(this.providers.of(provider).name).add(usd);
  }

  /** The same of an engine of a tool or plugin, by its name; marked, for providers may have the same. */
  engineCost(engine: string, usd: number): void {
    this.operatorCosts.of(`engine:${engine}`).add(usd);
  }

  /** Something out of the ordinary happened in the ledger. */
  ledgerEvent(event: LedgerEvent, count = 1): void {
    this.ledgerEvents.inc({ event }, count);
  }

  /** A statement of the request path was answered, or failed. */
  readonly statement = (seconds: number): void => this.statementSeconds.observe(seconds);

  /** The Prometheus text of this process alone. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** The same figures, to be added to those of other processes. */
  report(): Promise<MetricReport[]> {
    return this.registry.getMetricsAsJSON();
  }

  private beginClosedSets(): void {
    for (const event of LEDGER_EVENTS) this.ledgerEvents.inc({ event }, 0);
    for (const kind of ERROR_KINDS) this.refusals.of(kind);
    if (!this.tellsModels) for (const kind of FALLBACKS) this.fallbacks.of(kind);
  }

  private beginProvider(name: string): ProviderSeries {
    this.operatorCosts.of(name);
    for (const outcome of ABANDONMENTS) this.abandonments.of(name, outcome);
    this.attemptSeconds.zero({ provider: name });
    this.firstTokenSeconds.zero({ provider: name });
    const series: ProviderSeries = { name, calls: new Map() };
    if (this.tellsModels) return series;
    this.beginCalls(series, '');
    for (const outcome of OUTCOMES) this.attempts.of(name, outcome);
    return series;
  }

  /** What is counted of the calls of a provider; with labels of models, of one model alone. */
  private callsOf({ provider, model }: MeasuredLeg): CallSeries {
    const series = this.providers.of(provider);
    const name = this.tellsModels ? this.models.of(model) : '';
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
