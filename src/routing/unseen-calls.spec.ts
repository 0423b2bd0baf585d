/**
 * Unseen calls are limited per process and per key, only exist for providers that bill them, and end at the time limit
 * of their request; each slot is released when its generation is settled. Generations built by hand, a clock of the
 * test's.
 */
import { modelRequest } from '../../test/support/model-request.js';
import { endpoint, model, plan } from '../../test/support/route-inputs.js';
import type { Caller } from '../core/caller.js';
import { Generation } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import { measurePrompt } from '../core/money/measure-prompt.js';
import type { AbortRules } from '../core/routing/abort-rules.js';
import type { Environment } from '../shared/environment.js';
import { Metrics } from '../shared/telemetry/metrics.js';
import { UnseenCalls } from './unseen-calls.js';

const TOTAL_MS = 10_000;

interface Left {
  readonly generation: Generation;
  readonly call: ProviderCall;
}

/** A call that was sent, of a caller with that key. */
function leave(keyHash: string, { stream = false, aborts }: { stream?: boolean; aborts?: AbortRules } = {}): Left {
  const request = modelRequest({ model: 'a/one', stream });
  const made = plan([model('a/one', [endpoint('p1')])]);
  const [leg] = made.legs;
  const provider = { ...leg!.endpoint.provider, ...(aborts && { aborts }) };
  const generation = new Generation('gen-1-x', { request, caller: { keyHash } as Caller, api: 'messages' });
  const run = { plan: made, request, prompt: measurePrompt(request), purpose: 'answer' } as const;
  const call = generation.begin(run, { ...leg!, endpoint: { ...leg!.endpoint, provider } });
  call.wasSent = true;
  return { generation, call };
}

function setUp() {
  const unseen = new UnseenCalls({ timeouts: { totalMs: TOTAL_MS } } as Environment, new Metrics());
  const cut: Left[] = [];
  const enter = (left: Left): boolean => unseen.enter(left.generation, left.call, () => void cut.push(left));
  return { unseen, enter, cut };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('admits sixty-four of a process, and releases each slot', async () => {
  const { unseen, enter } = setUp();
  const left = Array.from({ length: 65 }, (_, index) => leave(`key ${index}`));
  expect(left.map(enter)).toEqual([...Array<boolean>(64).fill(true), false]);
  expect([unseen.size, left[63]!.call.isUnseen, left[64]!.call.isUnseen]).toEqual([64, true, false]);
  const idle = unseen.idle();
  await left[0]!.generation.end('caller-gone');
  expect([unseen.size, enter(left[64]!)]).toEqual([63, true]);
  for (const { generation } of left) await generation.end('caller-gone');
  await idle;
  expect(unseen.size).toBe(0);
});

it('admits four of a key, regardless of other keys', async () => {
  const { enter } = setUp();
  const left = Array.from({ length: 5 }, () => leave('one'));
  expect(left.map(enter)).toEqual([true, true, true, true, false]);
  expect(enter(leave('other'))).toBe(true);
  await left[0]!.generation.end('caller-gone');
  expect([enter(left[4]!), enter(leave('one'))]).toEqual([true, false]);
});

it('keeps its slot until all work after its end is done', async () => {
  const { unseen, enter } = setUp();
  const left = leave('one');
  let settle = (): void => undefined;
  left.generation.observe({ ended: () => new Promise<void>((resolve) => (settle = resolve)) });
  enter(left);
  const ended = left.generation.end('caller-gone');
  await Promise.resolve();
  expect(unseen.size).toBe(1);
  settle();
  await ended;
  expect(unseen.size).toBe(0);
});

it.each<[string, boolean, { stream?: boolean; aborts?: AbortRules }]>([
  ['a whole call by default', true, {}],
  ['no stream by default', false, { stream: true }],
  ['a stream where it is billed', true, { stream: true, aborts: { stream: 'billed', whole: 'stops' } }],
  ['no whole call where that stops', false, { aborts: { stream: 'billed', whole: 'stops' } }],
])('takes %s', (_, isTaken, options) => {
  expect(setUp().enter(leave('one', options))).toBe(isTaken);
});

it('admits nothing that was not sent, or is over', async () => {
  const { unseen, enter } = setUp();
  const [unsent, ended, over] = [leave('one'), leave('one'), leave('one')];
  unsent.call.wasSent = false;
  ended.generation.endCall(ended.call, 'provider-overloaded');
  await over.generation.end('completed');
  expect([unsent, ended, over].map(enter)).toEqual([false, false, false]);
  expect(unseen.size).toBe(0);
});

it('aborts a call at the time limit of its request, counted from its beginning', async () => {
  const { enter, cut } = setUp();
  const left = leave('one');
  jest.advanceTimersByTime(4_000);
  enter(left);
  jest.advanceTimersByTime(5_900);
  expect(cut).toEqual([]);
  jest.advanceTimersByTime(200);
  expect(cut).toEqual([left]);
  const settled = leave('one');
  enter(settled);
  await settled.generation.end('caller-gone');
  jest.advanceTimersByTime(TOTAL_MS);
  expect(cut).toEqual([left]);
});

it('aborts all of them when the process stops', () => {
  const { unseen, enter, cut } = setUp();
  const left = [leave('one'), leave('two')];
  left.forEach(enter);
  unseen.cutAll();
  expect(cut).toEqual(left);
});
