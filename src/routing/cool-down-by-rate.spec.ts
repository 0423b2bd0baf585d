/**
 * Chance faults and one key's failing requests exclude an endpoint for no other key, a dead endpoint gets few calls,
 * and a client that waits as hinted is not refused by the gateway. Traffic of several keys in simulated time, through
 * the planner, the plan runner and the health registry; the upstream is a script that is deterministic by its seed. The
 * figures are those of docs/contribute/decisions/0041-cool-down-by-rate.md.
 */
import { modelRequest } from '../../test/support/model-request.js';
import { endpoint, inputsOf, model, numbers } from '../../test/support/route-inputs.js';
import type { CredentialStates } from '../byok/credential-states.js';
import { Cancellation } from '../core/cancellation.js';
import type { Caller } from '../core/caller.js';
import { GatewayError, ProviderFault, type FaultKind } from '../core/errors.js';
import { Generation } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import { measurePrompt } from '../core/money/measure-prompt.js';
import type { Leg } from '../core/routing/plan.js';
import { planRoute } from '../core/routing/plan-route.js';
import { Clock } from '../core/time.js';
import { HealthRegistry } from '../endpoint-health/health-registry.js';
import type { Environment } from '../shared/environment.js';
import { Metrics } from '../shared/telemetry/metrics.js';
import { NoReplicas } from '../shared/redis/replicated-map-link.js';
import type { AttemptRunner } from './attempt-runner.js';
import type { GenerationMedia } from './generation-media.js';
import { CallTelemetry } from './call-telemetry.js';
import { PlanRunner } from './plan-runner.js';
import { RefusedCredentials } from './log-refused-credentials.js';

class ManualClock extends Clock {
  time = 1_700_000_010_000;
  override now(): number {
    return this.time;
  }
}

const environment = {
  cooldown: { baseMs: 5_000, maxMs: 60_000 },
  timeouts: { totalMs: 900_000 },
} as Environment;
const REQUEST = modelRequest();
/** Only the operator's credentials are in use. */
const NO_STATES = {} as CredentialStates;
const ANSWER = { beginning: [{ type: 'reply-start' }], return: () => Promise.resolve(undefined) };

type Upstream = (leg: Leg, caller: string) => ProviderFault | undefined;

class Traffic {
  readonly clock = new ManualClock();
  readonly health = new HealthRegistry(environment, this.clock, new NoReplicas());
  /** Tags, call by call. */
  readonly calls: string[] = [];
  private caller = '';
  private readonly runner: PlanRunner;

  constructor(
    private readonly tags: readonly string[],
    upstream: Upstream,
  ) {
    const attempts = {
      run: (_generation: Generation, { leg }: ProviderCall) => {
        this.calls.push(leg.tag);
        const fault = upstream(leg, this.caller);
        return fault ? Promise.reject(fault) : Promise.resolve(ANSWER);
      },
    } as unknown as AttemptRunner;
    const media = { requiredBy: () => [] } as unknown as GenerationMedia;
    this.runner = new PlanRunner(attempts, media, this.health, this.clock);
  }

  /** @returns the caller's error, undefined for an answer */
  async ask(caller: string): Promise<GatewayError | undefined> {
    this.caller = caller;
    const endpoints = this.tags.map((tag, index) => {
      const one = endpoint(tag, { usd: index + 1 });
      // Failures of the sandbox do not affect health.
      return { ...one, provider: { ...one.provider, dialect: 'openai-chat' } as const };
    });
    const models = [model('a/b', endpoints)];
    const inputs = inputsOf(models, {
      health: this.health.snapshot(caller),
      needs: { preferences: { sort: 'price' } },
    });
    const plan = planRoute(inputs)!;
    const request = { request: REQUEST, caller: { keyHash: caller } as Caller, api: 'messages' } as const;
    const generation = new Generation('gen-1-x', request);
    generation.observe(new CallTelemetry(new Metrics(), this.health, this.clock, new RefusedCredentials(), NO_STATES));
    generation.planned({ inputs, plan }, []);
    try {
      await this.runner.run(generation, {
        plan,
        request: REQUEST,
        prompt: measurePrompt(REQUEST),
        purpose: 'answer',
        reveal: () => Promise.resolve(undefined),
        modelLimiter: { acquire: () => true },
        signal: new Cancellation().signal,
      });
      await generation.end('completed');
      return undefined;
    } catch (error) {
      void generation.fail(error);
      return error as GatewayError;
    }
  }
}

const fault = (kind: FaultKind, retryAfterMs?: number): ProviderFault =>
  new ProviderFault(kind, 'No', retryAfterMs === undefined ? {} : { retryAfterMs });
const isOurs = (error: GatewayError | undefined): boolean => error !== undefined && error.cause === undefined;

describe('chance faults', () => {
  it.each([1, 8])('7 %% of 24 calls a second, of %i keys: none is refused', async (keys) => {
    const next = numbers(7);
    const traffic = new Traffic(['p1'], () => (next(100) < 7 ? fault('server-error') : undefined));
    let refused = 0;
    let failed = 0;
    const CALLS = 24 * 60;
    for (let call = 0; call < CALLS; call++) {
      const error = await traffic.ask(`key-${call % keys}`);
      if (isOurs(error)) refused++;
      else if (error) failed++;
      traffic.clock.time += 1_000 / 24;
    }
    // Upstream refusals are passed on; there are no others.
    expect([refused, traffic.calls.length]).toEqual([0, CALLS]);
    expect(failed / CALLS).toBeCloseTo(0.07, 1);
  });

  it('take no traffic from the endpoint that is preferred', async () => {
    const next = numbers(11);
    const traffic = new Traffic(['p1', 'p2'], ({ tag }) =>
      tag === 'p1' && next(100) < 7 ? fault('server-error') : undefined,
    );
    for (let call = 0; call < 24 * 60; call++) {
      expect(await traffic.ask(`key-${call % 8}`)).toBeUndefined();
      traffic.clock.time += 1_000 / 24;
    }
    // The other one is called for the faults only.
    expect(traffic.calls.filter((tag) => tag === 'p1')).toHaveLength(24 * 60);
  });
});

describe("one key's failing requests", () => {
  it.each<[FaultKind]>([['server-error'], ['timed-out'], ['malformed-reply'], ['rate-limited'], ['not-found']])(
    '20 in 25 s that end in %s exclude the endpoint for no other key',
    async (kind) => {
      const traffic = new Traffic(['p1', 'p2'], ({ tag }, caller) =>
        tag === 'p1' && caller === 'bad' ? fault(kind) : undefined,
      );
      for (let call = 0; call < 20; call++) {
        await traffic.ask('bad');
        traffic.calls.length = 0;
        for (const other of ['one', 'two']) expect(await traffic.ask(other)).toBeUndefined();
        expect(traffic.calls).toEqual(['p1', 'p1']);
        traffic.clock.time += 1_250;
      }
    },
  );

  it('do not exclude it for later keys either, but soon for the key itself', async () => {
    const traffic = new Traffic(['p1', 'p2'], ({ tag }, caller) =>
      tag === 'p1' && caller === 'bad' ? fault('server-error') : undefined,
    );
    for (let call = 0; call < 20; call++) {
      expect(await traffic.ask('bad')).toBeUndefined();
      traffic.clock.time += 1_250;
    }
    expect(traffic.calls.filter((tag) => tag === 'p1').length).toBeLessThanOrEqual(6);
    traffic.calls.length = 0;
    await traffic.ask('other');
    expect(traffic.calls).toEqual(['p1']);
  });
});

describe('an endpoint that is dead', () => {
  it.each<[FaultKind, number]>([
    ['server-error', 12],
    ['timed-out', 12],
  ])('by %s is skipped by all keys after a few calls', async (kind, callsMax) => {
    const traffic = new Traffic(['p1', 'p2'], ({ tag }) => (tag === 'p1' ? fault(kind) : undefined));
    for (let call = 0; call < 240; call++) {
      expect(await traffic.ask(`key-${call % 6}`)).toBeUndefined();
      traffic.clock.time += 250;
    }
    expect(traffic.calls.filter((tag) => tag === 'p1').length).toBeLessThanOrEqual(callsMax);
  });

  it('is tried where nothing else is left, and healthy at the first answer', async () => {
    let isDead = true;
    const traffic = new Traffic(['p1'], () => (isDead ? fault('server-error') : undefined));
    for (let call = 0; call < 10; call++) {
      expect(isOurs(await traffic.ask(`key-${call % 3}`))).toBe(false);
      traffic.clock.time += 100;
    }
    isDead = false;
    expect(await traffic.ask('key-0')).toBeUndefined();
    const key = { model: 'a/b', tag: 'p1', credential: 'shared' };
    expect(traffic.health.snapshot('key-0').find(key)).toMatchObject({ isOut: false });
    expect(traffic.health.snapshot('key-0').find(key)!.cooling).toBeUndefined();
  });
});

describe('a client that waits as hinted', () => {
  it.each([undefined, 0, 400, 9_000])('is not refused by the gateway after a 429 with the hint %p', async (hintMs) => {
    let answers = 0;
    const traffic = new Traffic(['p1'], () => (answers++ === 0 ? fault('rate-limited', hintMs) : undefined));
    const error = await traffic.ask('one');
    expect([error!.kind, isOurs(error)]).toEqual(['rate-limited', false]);
    // Without a hint none is passed on, and the client retries at any time.
    if (hintMs === undefined) expect(error!.detail.retryAfterMs).toBeUndefined();
    else expect(error!.detail.retryAfterMs).toBe(Math.max(1, hintMs));
    traffic.clock.time += error!.detail.retryAfterMs ?? 500;
    expect(await Promise.all(['one', 'two', 'one'].map((caller) => traffic.ask(caller)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("gets the same hint from the gateway's own refusal", async () => {
    let calls = 0;
    const traffic = new Traffic(['p1'], () => (calls++ === 0 ? fault('rate-limited', 9_000) : undefined));
    await traffic.ask('one');
    traffic.clock.time += 2_500;
    const error = await traffic.ask('two');
    expect([isOurs(error), error!.detail.retryAfterMs]).toEqual([true, 6_500]);
    traffic.clock.time += 6_500;
    expect(await traffic.ask('two')).toBeUndefined();
  });

  it('waits no longer than until the first endpoint may be called again', async () => {
    const traffic = new Traffic(['p1', 'p2'], ({ tag }) => fault('rate-limited', tag === 'p1' ? 20_000 : 8_000));
    expect((await traffic.ask('one'))!.detail.retryAfterMs).toBe(8_000);
  });
});
