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
class BoundedValues {
  private readonly seen = new Set<string>();

  /** @param onFirst told of each value that is let through, once */
  constructor(private readonly onFirst?: (value: string) => void) {}

  get size(): number {
    return this.seen.size;
  }

  has(value: string): boolean {
    return this.seen.has(value);
  }

  bound(value: string): string {
    if (this.seen.has(value)) return value;
    if (this.seen.size >= LABEL_VALUES_MAX) return OTHER;
    this.seen.add(value);
    this.onFirst?.(value);
    return value;
  }
}

/**
 * A counter of the library's that is told only when somebody asks: it sorts and prints the labels of every single
 * increment, which at several of them a request was a hundredth of its time.
 */
class Tally {
  private readonly pending = new Map<string, { readonly values: readonly (string | number)[]; amount: number }>();

  constructor(
    registry: Registry,
    name: string,
    { help, labels }: { readonly help: string; readonly labels: readonly string[] },
  ) {
    const { pending } = this;
    new Counter({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      collect() {
        for (const { values, amount } of pending.values()) {
          this.inc(Object.fromEntries(labels.map((label, index) => [label, values[index]!])), amount);
        }
        pending.clear();
      },
    });
  }

  /**
   * @param amount ignored unless it is a positive number: the library throws for others, and what providers report
   *   is not ours to vouch for
   * @param values of the labels, in their order
   */
  add(amount: number, ...values: readonly (string | number)[]): void {
    if (amount > 0 && Number.isFinite(amount)) this.tell(amount, values);
  }

  /** Shows a series that nothing was counted of yet. */
  begin(...values: readonly (string | number)[]): void {
    this.tell(0, values);
  }

  private tell(amount: number, values: readonly (string | number)[]): void {
    const key = values.join('\n');
    const known = this.pending.get(key);
    if (known) known.amount += amount;
    else this.pending.set(key, { values, amount });
  }
}

/**
 * What this process measures, for Prometheus. No label tells an account, key or workspace, a model only where the
 * settings say so, and each has a bounded number of values. What is known of labels at the start is told from then on,
 * with 0: of a series that begins at 1 no increase is seen. Recording costs less than half a microsecond a figure; one
 * instance per process, safe to share.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly routes = new BoundedValues();
  private readonly providers = new BoundedValues((provider) => this.beginProvider(provider));
  private readonly models = new BoundedValues();
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
      help: 'USD that providers ask for and no caller pays, as generations were settled.',
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
    for (const { provider } of legs) this.providers.bound(provider);
    if (!this.tellsModels || new Set(legs.map(({ model }) => model)).size > MODELS_BEGUN_MAX) return;
    for (const { provider, model } of legs) {
      if (!this.models.has(model) && this.models.size >= MODELS_BEGUN_MAX) continue;
      this.beginCalls(this.providers.bound(provider), this.modelLabel(model));
    }
  }

  /** A request was answered. @param route the pattern of the route, undefined where none matched */
  request(route: string | undefined, method: string, status: number, seconds: number, streamed: boolean): void {
    const bounded = route === undefined ? OTHER : this.routes.bound(route);
    this.requests.add(1, bounded, METHODS.has(method) ? method : OTHER, status);
    this.requestSeconds.observe({ route: bounded, streamed: streamed ? 'true' : 'false' }, seconds);
  }

  /** How a request ended. Counted where this gateway refused it or failed: other words are no refusals. */
  refused(outcome: EndingName): void {
    if (REFUSALS.has(outcome)) this.refusals.add(1, outcome);
  }

  /** A call to a provider ended. */
  attempt({ provider, model }: MeasuredLeg, outcome: CallOutcome, seconds: number): void {
    const bounded = this.providers.bound(provider);
    this.attempts.add(1, bounded, outcome, ...this.modelLabel(model));
    this.attemptSeconds.observe({ provider: bounded }, seconds);
  }

  /** The first committing event of a streamed call came. */
  firstToken(provider: string, seconds: number): void {
    this.firstTokenSeconds.observe({ provider: this.providers.bound(provider) }, seconds);
  }

  /** The last usage of one reply, as its provider reports it. Call once a reply: usage is cumulative. */
  tokens({ provider, model }: MeasuredLeg, usage: Usage): void {
    const bounded = this.providers.bound(provider);
    const label = this.modelLabel(model);
    const { tokenCounts } = this;
    tokenCounts.add(usage.inputTokens ?? 0, bounded, 'input', ...label);
    tokenCounts.add(usage.outputTokens ?? 0, bounded, 'output', ...label);
    tokenCounts.add(usage.cacheReadTokens ?? 0, bounded, 'cache_read', ...label);
    const cacheWrites = (usage.cacheWriteTokens ?? 0) + (usage.cacheWrite1hTokens ?? 0);
    tokenCounts.add(cacheWrites, bounded, 'cache_write', ...label);
  }

  /** An answer came of another call than the first. @param model the one that answers */
  fellBack(kind: FallbackKind, model: string): void {
    this.fallbacks.add(1, kind, ...this.modelLabel(model));
  }

  /** What a caller is charged for a call. @param usd nothing is counted of 0 */
  spent({ provider, model }: MeasuredLeg, usd: number): void {
    this.spend.add(usd, this.providers.bound(provider), ...this.modelLabel(model));
  }

  /** A call was left, and has ended. */
  abandoned(provider: string, outcome: Abandonment): void {
    this.abandonments.add(1, this.providers.bound(provider), outcome);
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
    this.operatorCosts.add(usd, this.providers.bound(provider));
  }

  /** Something out of the ordinary happened in the ledger. */
  ledgerEvent(event: LedgerEvent, count = 1): void {
    this.ledgerEvents.inc({ event }, count);
  }

  /** A statement of the request path was answered, or failed. */
  statement(seconds: number): void {
    this.statementSeconds.observe(seconds);
  }

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
    for (const kind of ERROR_KINDS) this.refusals.begin(kind);
    if (!this.tellsModels) for (const kind of FALLBACKS) this.fallbacks.begin(kind);
  }

  private beginProvider(provider: string): void {
    this.operatorCosts.begin(provider);
    for (const outcome of ABANDONMENTS) this.abandonments.begin(provider, outcome);
    this.attemptSeconds.zero({ provider });
    this.firstTokenSeconds.zero({ provider });
    if (this.tellsModels) return;
    this.beginCalls(provider, NO_LABEL);
    for (const outcome of OUTCOMES) this.attempts.begin(provider, outcome);
  }

  /** Of each single model those outcomes are left out that it may never have. */
  private beginCalls(provider: string, label: readonly string[]): void {
    this.spend.begin(provider, ...label);
    this.attempts.begin(provider, 'answered', ...label);
    for (const direction of DIRECTIONS) this.tokenCounts.begin(provider, direction, ...label);
    if (label.length > 0) for (const kind of FALLBACKS) this.fallbacks.begin(kind, ...label);
  }

  private modelLabel(model: string): readonly string[] {
    return this.tellsModels ? [this.models.bound(model)] : NO_LABEL;
  }
}

const NO_LABEL: readonly never[] = [];
const REFUSALS: ReadonlySet<string> = new Set(ERROR_KINDS);
const OUTCOMES: ReadonlySet<CallOutcome> = new Set(Object.values(ENDINGS).map(({ outcome }) => outcome));
