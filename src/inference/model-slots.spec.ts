// A recording gate: a generation takes one slot at each limited model, however often and from however many runs it
// calls it, and releases it with the tokens of all its answers.
import { modelRequest } from '../../test/support/model-request.js';
import { endpoint, model, plan } from '../../test/support/route-inputs.js';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { Generation } from '../core/generation/generation.js';
import { measurePrompt, type MeasuredPrompt } from '../core/money/measure-prompt.js';
import type { Model } from '../core/routing/catalog.js';
import type { ModelGate } from '../rate-limits/model-gate.js';
import { GenerationModelSlots } from './model-slots.js';

const REQUEST = modelRequest({ stream: true });
const PROMPT = measurePrompt(REQUEST);
const LIMITED = { ...model('a/limited', [endpoint('p1')]), limits: { concurrency: 1 } };
const PLAN = plan([LIMITED]);

function setUp(refusal?: Error) {
  const entered: string[] = [];
  const left: (number | undefined)[] = [];
  const gate = {
    enter: async (_account: string, { id }: { id: string }) => {
      entered.push(id);
      await Promise.resolve();
      if (refusal) throw refusal;
      return { release: (tokens?: number) => void left.push(tokens) };
    },
  } as unknown as ModelGate;
  const generation = new Generation('gen-1-x', { request: REQUEST, caller: {} as Caller, api: 'messages' });
  const generationSlots = new GenerationModelSlots(gate);
  const slots = {
    acquire: (limited: Model, prompt: MeasuredPrompt) => generationSlots.acquire(generation, limited, prompt),
  };
  const answer = (outputTokens: number): void => {
    const run = { plan: PLAN, request: REQUEST, prompt: PROMPT, purpose: 'answer' } as const;
    const call = generation.begin(run, PLAN.legs[0]!);
    generation.answerWith(call);
    call.observe([{ type: 'usage', usage: { inputTokens: 10, outputTokens } }]);
  };
  return { generation, slots, answer, entered, left };
}

it('does not use the gate for a model without limits', () => {
  const { slots, entered } = setUp();
  expect([slots.acquire(model('a/free', []), PROMPT), entered]).toEqual([true, []]);
});

it('enters once for parallel and sequential calls, and leaves with the tokens of all of them', async () => {
  const { generation, slots, answer, entered, left } = setUp();
  expect(await Promise.all([slots.acquire(LIMITED, PROMPT), slots.acquire(LIMITED, PROMPT)])).toEqual([true, true]);
  answer(1);
  expect(await slots.acquire(LIMITED, PROMPT)).toBe(true);
  answer(2);
  expect([entered, left]).toEqual([['a/limited'], []]);
  await generation.end('completed');
  expect(left).toEqual([23]);
});

it('releases a slot that it gets after its end', async () => {
  const { generation, slots, left } = setUp();
  const entering = slots.acquire(LIMITED, PROMPT);
  await generation.end('caller-gone');
  await entering;
  expect(left).toEqual([0]);
});

it('returns the refusal, and tries again in a later run', async () => {
  const refusal = new GatewayError('rate-limited', 'Wait.');
  const { slots, entered } = setUp(refusal);
  for (let run = 0; run < 2; run++) expect(await slots.acquire(LIMITED, PROMPT)).toBe(refusal);
  expect(entered).toEqual(['a/limited', 'a/limited']);
});

it('releases its slots when its caller leaves a call that continues, and keeps the reserved tokens', async () => {
  const { generation, slots, answer, left } = setUp();
  await slots.acquire(LIMITED, PROMPT);
  answer(1);
  generation.runOnUnseen(generation.calls[0]!);
  expect(left).toEqual([undefined]);
});
