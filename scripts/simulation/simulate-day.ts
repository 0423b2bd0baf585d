import type { Caller } from '../../src/core/caller.js';
import { ENDINGS, providerEnding } from '../../src/core/generation/ending.js';
import type { CatalogProvider, CatalogSnapshot } from '../../src/core/routing/catalog.js';
import { noRouteError } from '../../src/core/routing/no-route-error.js';
import type { Plan, PlannedLeg } from '../../src/core/routing/plan.js';
import { mayCall, planRoute } from '../../src/core/routing/plan-route.js';
import type { RouteInputs } from '../../src/core/routing/route-inputs.js';
import { routeNeeds } from '../../src/core/routing/route-needs.js';
import { namesProvider } from '../../src/core/routing/slug.js';
import { HealthRegistry } from '../../src/endpoint-health/health-registry.js';
import { healthKeyOf } from '../../src/routing/call-telemetry.js';
import { NO_DEFAULTS } from '../../src/core/plugin-defaults.js';
import { PluginSelector } from '../../src/inference/plugins/plugin-selector.js';
import { ALL_PLUGINS } from '../../src/plugins/plugin-list.js';
import { FAULT_POLICIES } from '../../src/core/fault-policies.js';
import { errorOfAttempts, type FailedAttempt } from '../../src/routing/attempt-failures.js';
import { SessionPins } from '../../src/routing/session-pins.js';
import { NoReplicas } from '../../src/shared/redis/replicated-map-link.js';
import { SeededRandom } from './seeded-random.js';
import { listPrice } from './list-price.js';
import { PriceDay } from './price-day.js';
import type { Scenario } from './scenario.js';
import { Session } from './session.js';
import { Tally } from './tally.js';
import { Timeline } from './timeline.js';
import { listSessions } from './traffic.js';
import { answerMs, World, type CallOutcome } from './world.js';

/** An arbitrary midnight, epoch milliseconds. */
const MIDNIGHT = Date.UTC(2026, 0, 1);
const CALLER: Caller = {
  accountId: 'account',
  workspaceId: 'workspace',
  keyHash: 'key',
  kind: 'inference',
  userId: null,
};
/** Every endpoint began to cool between the plan and the call. */
const ALL_RESTING = 'temporarily_unavailable';

const UNKNOWN_MODEL = 'model_not_found';

/** One request in progress. */
interface Run {
  readonly session: Session;
  readonly plan: Plan;
  readonly began: number;
  readonly failed: FailedAttempt[];
  /** Index of the next leg to consider. */
  index: number;
  calls: number;
  /** A model that no other endpoint can help: the request was at fault. */
  leftModel: number;
}

/**
 * Runs a day. Planner, health, pins and the consequences of faults are the gateway's own, under a simulated clock; the
 * providers are the scenario's. Attempts follow `PlanRunner`, which itself uses the time of the process.
 * @param onDecision receives the number of decisions so far, after each
 */
export function simulateDay(
  scenario: Scenario,
  catalog: CatalogSnapshot,
  onDecision: (count: number) => void = () => undefined,
): Tally {
  const day = new Day(scenario, catalog, onDecision);
  day.run();
  return day.tally;
}

class Day {
  readonly tally = new Tally();
  private readonly timeline = new Timeline(MIDNIGHT);
  private readonly random: SeededRandom;
  private readonly world: World;
  private readonly prices: PriceDay;
  private readonly health: HealthRegistry;
  private readonly pins: SessionPins;
  private readonly plugins = new PluginSelector(ALL_PLUGINS);

  constructor(
    private readonly scenario: Scenario,
    catalog: CatalogSnapshot,
    private readonly onDecision: (count: number) => void,
  ) {
    const { seed, world, prices, policy } = scenario;
    const alone = new NoReplicas();
    this.random = new SeededRandom(seed);
    this.world = new World(world, policy.environment.timeouts, this.random);
    this.prices = new PriceDay(catalog, prices);
    this.health = new HealthRegistry(policy.environment, this.timeline, alone);
    this.pins = new SessionPins(alone, this.timeline);
  }

  run(): void {
    for (const planned of listSessions(this.scenario, this.random)) {
      this.timeline.plan(MIDNIGHT + planned.startsMs, () => this.begin(new Session(planned, this.random)));
    }
    this.timeline.run();
  }

  private begin(session: Session): void {
    const plan = this.plan(session);
    this.tally.decisions++;
    this.onDecision(this.tally.decisions);
    if (plan && plan.legs.length > 0) {
      const began = this.timeline.now();
      this.advance({ session, plan, began, failed: [], index: 0, calls: 0, leftModel: -1 });
      return;
    }
    const code = plan && noRouteError(plan, this.timeline.now()).detail.availability?.['code'];
    this.tally.refuse(typeof code === 'string' ? code : UNKNOWN_MODEL);
    this.continue(session);
  }

  private plan(session: Session): Plan | undefined {
    const { needs, request, subject } = session;
    const catalog = this.prices.catalogAt(this.dayMs());
    const startedAt = performance.now();
    const known: Omit<RouteInputs, 'needs'> = {
      catalog,
      health: this.health.snapshot(),
      credentials: [],
      offersSharedCredential: this.offersSharedCredential,
      policies: [this.scenario.policy.account],
      session: this.pins.inputsOf(CALLER, request),
      seed: `${this.scenario.seed} ${subject}`,
    };
    const choice = this.plugins.of(request, NO_DEFAULTS).chooser(request)?.(known);
    const chosen = choice && { models: routeNeeds(request, catalog, choice).models, choice };
    const plan = planRoute({ ...known, needs: { ...needs, ...chosen } });
    this.tally.planningMs += performance.now() - startedAt;
    return plan;
  }

  private readonly offersSharedCredential = (provider: CatalogProvider): boolean =>
    this.scenario.policy.credentials?.some((pattern) => namesProvider(pattern, provider)) ?? true;

  /** Calls the next leg that may be called. */
  private advance(run: Run): void {
    const { plan, session } = run;
    while (run.index < plan.legs.length) {
      const index = run.index++;
      const leg = plan.legs[index]!;
      if (leg.modelIndex === run.leftModel || !mayCall(plan, index, run.calls)) continue;
      if (!this.health.admit(healthKeyOf(leg)) && !this.isLast(run, leg)) continue;
      run.calls++;
      const now = this.timeline.now();
      const outcome = this.world.call(leg, this.dayMs(), session.subject);
      this.timeline.plan(now + outcome.firstMs, () => this.settle(run, leg, outcome, now));
      return;
    }
    if (run.failed.length > 0) this.tally.fail(errorOfAttempts(run.failed).kind, run.calls);
    else this.tally.refuse(ALL_RESTING);
    this.continue(session);
  }

  /** A cooling leg is tried when no other leg was or can be called: close to the second round of `PlanRunner`. */
  private isLast({ plan, index, calls }: Run, leg: PlannedLeg): boolean {
    return calls === 0 && index === plan.legs.length && this.health.admitLast(healthKeyOf(leg));
  }

  private settle(run: Run, leg: PlannedLeg, outcome: CallOutcome, calledAt: number): void {
    const { fault } = outcome;
    if (!fault) {
      this.deliver(run, leg, outcome, calledAt);
      return;
    }
    this.tally.attempt(leg, fault.kind === 'rate-limited' ? 'rate-limited' : 'other');
    const by = ENDINGS[providerEnding(fault)].health;
    const key = healthKeyOf(leg);
    if (by === 'nothing' || by === 'success') this.health.released(key);
    else this.health.failed(key, { by, ...fault.detail }, { beganAt: calledAt });
    run.failed.push({ leg, error: fault });
    if (FAULT_POLICIES[fault.kind].tryNext === 'model') run.leftModel = leg.modelIndex;
    this.advance(run);
  }

  /** The first token has arrived; health and pins are updated when the answer has ended, as in the gateway. */
  private deliver(
    run: Run,
    leg: PlannedLeg,
    { firstMs, tokensPerSecond }: CallOutcome & { readonly fault?: undefined },
    calledAt: number,
  ): void {
    const { session, plan, began, calls } = run;
    const now = this.timeline.now();
    const cached = session.cachedAt(leg, calledAt);
    this.countMove(session, leg, cached, calledAt);
    const tokens = session.answered(leg, cached, now);
    const cost = listPrice(leg.endpoint.pricing, leg.tier, tokens);
    this.tally.attempt(leg);
    this.tally.answer(leg, tokens, cost, now - began, calls, this.dayMs());
    if (session.prompt) this.tally.judge(leg.model, session.prompt);
    this.timeline.plan(now + answerMs(tokens.answer, tokensPerSecond), () => {
      this.health.succeeded(
        healthKeyOf(leg),
        {
          secondsToFirstToken: firstMs / 1_000,
          ...(tokens.answer > 0 && { tokensPerSecond }),
        },
        { beganAt: calledAt },
      );
      this.pins.confirm(CALLER, session.request, plan, leg, cached);
      this.continue(session);
    });
  }

  private countMove(session: Session, leg: PlannedLeg, cached: number, calledAt: number): void {
    const before = session.answeredBy;
    if (!before) return;
    const hasMoved = before.tag !== leg.tag || before.model.id !== leg.model.id;
    const lost = hasMoved ? Math.max(0, session.cachedAt(before, calledAt) - cached) : 0;
    this.tally.continue(session.plan.id, hasMoved, lost);
  }

  private continue(session: Session): void {
    const pauseMs = session.next();
    if (pauseMs !== undefined) this.timeline.plan(this.timeline.now() + pauseMs, () => this.begin(session));
  }

  private dayMs(): number {
    return this.timeline.now() - MIDNIGHT;
  }
}
