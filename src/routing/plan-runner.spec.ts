/**
 * A refusal that was kept while others are called is reported and closed once, whatever happens to them; a request that
 * was never sent is no call. Plans of two models with scripted attempts.
 */
import { modelRequest } from '../../test/support/model-request.js';
import { endpoint, inputsOf, model, plan } from '../../test/support/route-inputs.js';
import { Cancellation } from '../core/cancellation.js';
import type { Caller } from '../core/caller.js';
import type { ModelEvent } from '../core/conversation/event.js';
import { CallerGone, GatewayError, ProviderFault, Untranslatable } from '../core/errors.js';
import { CutShort } from '../core/generation/ending.js';
import { Generation } from '../core/generation/generation.js';
import type { ModelRun } from '../core/generation/model-run.js';
import { measurePrompt } from '../core/money/measure-prompt.js';
import type { HealthRegistry } from '../endpoint-health/health-registry.js';
import type { AttemptRunner } from './attempt-runner.js';
import type { GenerationMedia } from './generation-media.js';
import { PlanRunner, type ModelLimiter } from './plan-runner.js';

const REFUSED: readonly ModelEvent[] = [
  { type: 'reply-start' },
  { type: 'usage', usage: { inputTokens: 100, outputTokens: 20 } },
  { type: 'reply-end', stop: { unified: 'refusal', raw: 'refusal', vendor: 'anthropic' } },
];
const UNLIMITED: ModelLimiter = { acquire: () => true };
/** Contains media that legs may need as bytes. */
const REQUEST = modelRequest({
  model: 'a/first',
  stream: true,
  messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://a.test/b.png' } }] }],
});

/**
 * The outcome of each attempt, in order: a refusal, or an error; a `GatewayError` means that its media are unavailable.
 */
function setUp(...attempts: readonly (Error | 'refuses' | (() => never))[]) {
  const models = [model('a/first', [endpoint('p1')]), model('a/second', [endpoint('p2')])];
  const inputs = inputsOf(models);
  const made = { ...plan(models), movesOnRefusal: true };
  const generation = new Generation('gen-1-x', { request: REQUEST, caller: {} as Caller, api: 'messages' });
  generation.planned({ inputs, plan: made }, []);
  let left = 0;
  let called = 0;
  const runner = new PlanRunner(
    {
      run: () => {
        const attempt = attempts[called++]!;
        if (attempt instanceof Error) return Promise.reject(attempt);
        if (attempt !== 'refuses') return Promise.resolve().then(attempt);
        return Promise.resolve({ beginning: REFUSED, return: () => Promise.resolve(void left++) });
      },
    } as unknown as AttemptRunner,
    {
      requiredBy: () => (attempts[called] instanceof GatewayError ? ['media'] : []),
      fetch: () => failing(attempts[called]),
    } as unknown as GenerationMedia,
    { admit: () => true, snapshot: () => ({ find: () => undefined }) } as unknown as HealthRegistry,
    { now: () => 0, aheadMs: 0 },
  );
  const abort = new Cancellation();
  const run = (changes: Partial<ModelRun> = {}, modelLimiter = UNLIMITED) =>
    runner.run(generation, {
      plan: made,
      request: REQUEST,
      prompt: measurePrompt(REQUEST),
      purpose: 'answer',
      ...changes,
      reveal: () => Promise.resolve(undefined),
      modelLimiter,
      signal: abort.signal,
    });
  return { generation, run, abort, left: () => left };
}

const failing = (error: unknown): Promise<never> => Promise.reject(error instanceof Error ? error : new Error('none'));
const endings = ({ calls }: Generation) =>
  calls.map(({ ending, status, usage }) => [ending, status, usage.outputTokens]);

it.each<[string, Error, unknown]>([
  ['a fault', new ProviderFault('overloaded', 'x'), 'provider-overloaded'],
  ['an internal fault', new TypeError('x'), 'internal'],
])('is dropped for %s', async (_, error, ending) => {
  const { generation, run, left } = setUp('refuses', error);
  await expect(run()).rejects.toBeInstanceOf(Error);
  expect(endings(generation)).toEqual([
    ['refused', 200, 20],
    [ending, expect.any(Number), undefined],
  ]);
  expect(left()).toBe(1);
});

it.each<[string, Error, string, number]>([
  ['the caller goes', new CallerGone(), 'caller-gone', 499],
  ['time runs out', new CutShort('deadline', 'timed-out', 'x'), 'deadline', 504],
  ['the process stops', new CutShort('shutdown', 'service-unavailable', 'x'), 'shutdown', 499],
])('is dropped when %s', async (_, reason, ending, status) => {
  const { generation, run, abort, left } = setUp('refuses', () => {
    abort.abort(reason);
    throw new Error('cut');
  });
  await expect(run()).rejects.toBe(reason);
  expect(endings(generation)).toEqual([
    ['refused', 200, 20],
    [ending, status, undefined],
  ]);
  expect(left()).toBe(1);
});

it('is the answer where no later leg could carry the request', async () => {
  const { generation, run, left } = setUp('refuses', new Untranslatable('tools', 'x'));
  expect((await run()).call).toBe(generation.calls[0]);
  expect(generation.answer).toBe(generation.calls[0]);
  expect([left(), generation.attempts().length]).toEqual([0, 1]);
});

it('makes no call whose media are unavailable, and drops the earlier refusal', async () => {
  const { generation, run, left } = setUp('refuses', new GatewayError('invalid-request', 'x'));
  await expect(run()).rejects.toBeInstanceOf(GatewayError);
  expect([endings(generation), left()]).toEqual([[['refused', 200, 20]], 1]);
});

it('counts an internal fault as a call: it may have been sent', async () => {
  const { generation, run } = setUp(new TypeError('x'));
  await expect(run()).rejects.toBeInstanceOf(TypeError);
  expect([generation.wasCalled, generation.calls[0]!.ending]).toEqual([true, 'internal']);
});

it('makes no call once its signal was aborted', async () => {
  const { generation, run, abort } = setUp('refuses');
  abort.abort(new CallerGone());
  await expect(run()).rejects.toBe(abort.signal.reason);
  expect(generation.calls).toEqual([]);
});

it('attributes a timeout without any event to the first provider called', async () => {
  const { generation, run, abort } = setUp(() => {
    abort.abort(new CutShort('deadline', 'timed-out', 'x'));
    throw new Error('cut');
  });
  await expect(run()).rejects.toBeInstanceOf(CutShort);
  expect(generation.calls[0]).toMatchObject({ ending: 'provider-out-of-time', status: 504 });
});

it('reports pauses that began after the plan as a plan without legs does', async () => {
  const models = [model('a/first', [endpoint('p1')])];
  const made = plan(models);
  const generation = new Generation('gen-1-x', { request: REQUEST, caller: {} as Caller, api: 'messages' });
  generation.planned({ inputs: inputsOf(models), plan: made }, []);
  const cooling = { until: 4_000, by: 'rate-limit', isFirm: true };
  const runner = new PlanRunner(
    {} as AttemptRunner,
    { requiredBy: () => [] } as unknown as GenerationMedia,
    {
      admit: () => false,
      admitLast: () => false,
      snapshot: () => ({ find: () => ({ isOut: false, cooling }) }),
    } as unknown as HealthRegistry,
    { now: () => 1_000, aheadMs: 0 },
  );
  const { signal } = new Cancellation();
  const inputs = { plan: made, request: REQUEST, prompt: measurePrompt(REQUEST), purpose: 'answer' } as const;
  const run = runner.run(generation, { ...inputs, reveal: () => Promise.resolve(undefined), signal });
  await expect(run).rejects.toMatchObject({
    kind: 'rate-limited',
    message: 'Every endpoint of a/first that may be used is cooling down; try again in 3 s.',
    detail: {
      retryAfterMs: 3_000,
      metadata: { excluded: [{ model: 'a/first', provider: 'P1', tag: 'p1', reason: 'cooling-down' }] },
      availability: { code: 'capacity_exhausted', retryable: true, requested_models: ['a/first'], retry_after: 3 },
    },
  });
});

describe('further runs of one generation', () => {
  const adviser = plan([model('wise/adviser', [endpoint('p3')])]);

  it('follow the plans they are given, and leave the answer to their caller', async () => {
    const { generation, run } = setUp('refuses', 'refuses', 'refuses');
    expect((await run({ plan: adviser, purpose: 'advisor' })).call.leg.model.id).toBe('wise/adviser');
    expect([generation.answer, generation.plan!.models]).toEqual([undefined, ['a/first', 'a/second']]);
    await run();
    expect(generation.answer).toMatchObject({ index: 2, leg: { model: { id: 'a/second' } } });
  });

  it('report their own limits', async () => {
    const limit = new GatewayError('rate-limited', 'Wait.');
    const limiter: ModelLimiter = { acquire: () => Promise.resolve(limit) };
    const { run } = setUp(new ProviderFault('overloaded', 'x'), new ProviderFault('overloaded', 'x'));
    await expect(run({ plan: adviser, purpose: 'advisor' }, limiter)).rejects.toBe(limit);
    await expect(run()).rejects.toMatchObject({ kind: 'overloaded' });
    await expect(run({}, limiter)).rejects.toBe(limit);
  });

  it('do not attribute the rest of the time limit to their providers', async () => {
    const { generation, run, abort } = setUp('refuses', () => {
      abort.abort(new CutShort('deadline', 'timed-out', 'x'));
      throw new Error('cut');
    });
    generation.endCall((await run({ plan: adviser, purpose: 'advisor' })).call, 'completed');
    await expect(run()).rejects.toBeInstanceOf(CutShort);
    expect(generation.calls[1]).toMatchObject({ ending: 'deadline', fault: undefined });
  });
});
