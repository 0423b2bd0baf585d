// Tests of every ending of a generation with one recording observer: it ends once, with its first ending, together with
// its running calls, and observers are notified of everything in order.
import type { Caller } from '../caller.js';
import type { ModelEvent } from '../conversation/event.js';
import { CallerGone, GatewayError, ProviderFault } from '../errors.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { endpoint, model, plan } from '../../../test/support/route-inputs.js';
import { measurePrompt } from '../money/measure-prompt.js';
import { CutShort, type Ending } from './ending.js';
import { Generation, type GenerationObserver, type RouteDecision } from './generation.js';
import type { ModelRun } from './model-run.js';
import type { ProviderCall } from './provider-call.js';

const REQUEST = modelRequest({ model: 'large', stream: true });
const START = { request: REQUEST, caller: {} as Caller, api: 'chat' } as const;
const runOf = (id: string, purpose: ModelRun['purpose'] = 'answer'): ModelRun => ({
  plan: plan([model(id, [endpoint('p1')])]),
  request: REQUEST,
  prompt: measurePrompt(REQUEST),
  purpose,
});
const RUN = runOf('acme/large');
const ACME = RUN.plan.legs[0]!;
const CONSULTS = runOf('wise/adviser', 'advisor');

class Diary implements GenerationObserver {
  readonly lines: string[] = [];
  called = (_: Generation, call: ProviderCall) => void this.lines.push(`called ${call.index}`);
  answered = (_: Generation, call: ProviderCall) => void this.lines.push(`answered ${call.index}`);
  callEnded = (_: Generation, call: ProviderCall) => void this.lines.push(`call ${call.index} ${call.ending}`);
  ended = ({ ending }: Generation) => void this.lines.push(`ended ${ending}`);
  deliveryFailed = (_: Generation, ending: Ending) => void this.lines.push(`delivery ${ending}`);
}

function begun(runs: readonly ModelRun[] = [RUN]) {
  const generation = new Generation('gen-1-x', START);
  const diary = new Diary();
  generation.observe(diary);
  const calls = runs.map((run) => generation.begin(run, run.plan.legs[0]!));
  return { generation, diary, calls };
}

const ENDINGS: readonly (readonly [string, (generation: Generation) => unknown, string, string])[] = [
  ['a whole reply', (generation) => generation.end('completed'), 'completed', 'completed'],
  ['a caller that disconnects', (generation) => generation.fail(new CallerGone()), 'caller-gone', 'caller-gone'],
  [
    'a fault',
    (generation) => generation.fail(new ProviderFault('overloaded', 'x')),
    'provider-overloaded',
    'provider-overloaded',
  ],
  [
    'its deadline',
    (generation) => generation.fail(new CutShort('deadline', 'timed-out', 'x')),
    'deadline',
    'timed-out',
  ],
  ['a refusal of ours', (generation) => generation.fail(new GatewayError('not-found', 'x')), 'not-found', 'not-found'],
  ['anything else', (generation) => generation.fail(new Error('x')), 'internal', 'internal'],
];

it.each(ENDINGS)('%s ends the running answer and the generation', (_, end, ending, outcome) => {
  const { generation, diary, calls } = begun();
  generation.answerWith(calls[0]!);
  end(generation);
  expect(diary.lines).toEqual(['called 0', 'answered 0', `call 0 ${ending}`, `ended ${ending}`]);
  expect([generation.phase, generation.outcome]).toEqual(['ended', outcome]);
});

it.each(ENDINGS)('%s after another ending changes nothing', (_, end) => {
  const { generation, diary } = begun();
  void generation.end('caller-gone');
  const before = [...diary.lines];
  end(generation);
  expect(diary.lines).toEqual(before);
  expect(generation.outcome).toBe('caller-gone');
});

it('begins no call after its end, which would be neither ended nor paid', () => {
  const { generation, calls } = begun();
  void generation.end('caller-gone');
  expect(() => generation.begin(RUN, ACME)).toThrow('ended');
  expect(generation.calls).toEqual(calls);
});

it('keeps the fault for the health of the endpoint', () => {
  const { generation, calls } = begun();
  const fault = new ProviderFault('server-error', 'x', { status: 500 });
  void generation.fail(fault);
  expect([calls[0]!.fault, calls[0]!.status]).toEqual([fault, 500]);
});

it('has the end of the reply wait for every observer that returns a promise', async () => {
  const { generation } = begun();
  const done: string[] = [];
  for (const name of ['money', 'audit'])
    generation.observe({ ended: async () => void (await Promise.resolve(), done.push(name)) });
  const settled = generation.end('completed');
  expect(done).toEqual([]);
  await settled;
  expect(done).toEqual(['money', 'audit']);
  expect(generation.end('caller-gone')).toBe(settled);
});

it('reports the status of each call that was made', () => {
  const { generation, calls } = begun([RUN, RUN, RUN, RUN, RUN]);
  generation.endCall(calls[0]!, 'untranslatable');
  generation.endCall(calls[1]!, 'provider-unreachable', new ProviderFault('unreachable', 'x'));
  generation.endCall(calls[2]!, 'refused');
  generation.answerWith(calls[3]!);
  // The last one is running.
  expect(generation.attempts().map(({ status }) => status)).toEqual([502, 200, 200, 499]);
  expect(generation.wasCalled).toBe(true);
});

it('does not count a provider as called that could not carry the request', () => {
  const { generation, calls } = begun();
  generation.endCall(calls[0]!, 'untranslatable');
  expect([generation.wasCalled, generation.attempts()]).toEqual([false, []]);
});

it('is described by the call that answers, and before that by the request', () => {
  const { generation, calls } = begun();
  expect([generation.model, generation.provider, generation.isByok]).toEqual(['large', '', false]);
  generation.answerWith(calls[0]!);
  expect([generation.model, generation.provider]).toEqual(['acme/large', ACME.endpoint.provider.name]);
});

it('sums the usage of its answers', () => {
  const { generation, calls } = begun([RUN, RUN, RUN]);
  const record = (call: ProviderCall, ...usages: Extract<ModelEvent, { type: 'usage' }>['usage'][]) =>
    call.observe(usages.map((usage) => ({ type: 'usage', usage })));
  for (const call of [calls[0]!, calls[2]!]) generation.answerWith(call);
  record(calls[0]!, { inputTokens: 10 }, { inputTokens: 10, outputTokens: 2 });
  record(calls[1]!, { inputTokens: 1_000 });
  record(calls[2]!, { inputTokens: 5, outputTokens: 1, estimated: true });
  expect(generation.usage).toEqual({ inputTokens: 15, outputTokens: 3, estimated: true });
});

describe('a model that is consulted', () => {
  it('is paid for and reported to observers, but does not answer', () => {
    const { generation, diary, calls } = begun([CONSULTS]);
    generation.answerWith(calls[0]!, 'what it was sent');
    calls[0]!.observe([{ type: 'usage', usage: { inputTokens: 7 } }]);
    generation.endCall(calls[0]!, 'completed');
    expect(generation).toMatchObject({ model: 'large', answer: undefined, upstreamBody: undefined, phase: 'calling' });
    expect([generation.usage, generation.attempts().length]).toEqual([{ inputTokens: 7 }, 1]);
    expect(diary.lines).toEqual(['called 0', 'answered 0', 'call 0 completed']);
  });

  it('does not replace the model that answers', () => {
    const { generation, calls } = begun([RUN, CONSULTS]);
    generation.answerWith(calls[0]!, 'the body');
    generation.answerWith(calls[1]!, 'another');
    expect(generation).toMatchObject({ model: 'acme/large', upstreamBody: 'the body', phase: 'answering' });
  });
});

it('has begun to answer with the first of its answers, and is described by the latest', () => {
  const { generation, calls } = begun([CONSULTS, RUN, runOf('acme/next')]);
  for (const [index, call] of calls.entries()) {
    call.committedAt = index;
    generation.answerWith(call);
  }
  expect([generation.committedAt, generation.model]).toEqual([1, 'acme/next']);
});

describe('a reply that cannot be delivered', () => {
  const MALFORMED = new ProviderFault('malformed-reply', 'x');

  it('ends with that failure where it has not ended', () => {
    const { generation, diary, calls } = begun();
    generation.answerWith(calls[0]!);
    generation.failDelivery(new GatewayError('upstream-failed', 'x', {}, { cause: MALFORMED }));
    generation.failDelivery(MALFORMED);
    expect(diary.lines.slice(2)).toEqual(['call 0 provider-malformed-reply', 'ended provider-malformed-reply']);
    expect(calls[0]!.fault).toBe(MALFORMED);
  });

  it.each<[string, unknown, string]>([
    ['malformed', MALFORMED, 'provider-malformed-reply'],
    ['abandoned by its reader', new CallerGone(), 'caller-gone'],
    ['nested too deep', new GatewayError('upstream-failed', 'x'), 'upstream-failed'],
  ])('stays completed where it had ended, and observers are notified once: %s', (_, reason, ending) => {
    const { generation, diary, calls } = begun();
    generation.answerWith(calls[0]!);
    void generation.end('completed');
    generation.failDelivery(reason);
    generation.failDelivery(new CallerGone());
    expect(diary.lines.slice(2)).toEqual(['call 0 completed', 'ended completed', `delivery ${ending}`]);
    expect([generation.ending, generation.outcome]).toEqual(['completed', 'completed']);
  });

  it('changes nothing of one that failed before', () => {
    const { generation, diary } = begun();
    void generation.end('caller-gone');
    const before = [...diary.lines];
    generation.failDelivery(MALFORMED);
    expect(diary.lines).toEqual(before);
  });
});

it('reports its phase, and after the end whether it was held and its route may be shown', () => {
  const stateOf = ({ phase, wasHeld, isRouted }: Generation) => [phase, wasHeld, isRouted];
  const { plan: made } = RUN;
  const planned = () => {
    const generation = new Generation('gen-1-x', START);
    generation.planned({ inputs: {} as RouteDecision['inputs'], plan: made }, []);
    return generation;
  };
  const held = planned();
  expect(stateOf(held)).toEqual(['planned', false, false]);
  held.held(made);
  expect(stateOf(held)).toEqual(['held', true, true]);
  void held.end('caller-gone');
  expect(stateOf(held)).toEqual(['ended', true, true]);

  const unaffordable = planned();
  void unaffordable.end('payment-required');
  expect(stateOf(unaffordable)).toEqual(['ended', false, false]);

  const forbidden = planned();
  forbidden.refusedByPolicy();
  void forbidden.end('forbidden');
  expect(stateOf(forbidden)).toEqual(['ended', false, true]);
});
