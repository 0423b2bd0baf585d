// Manual model calls, with an admission with capacity for one of them at a time: the reservation of a consulted model
// is free for the next use, however its call ended, and its caller is notified where there was none.
import { modelRequest } from '../../test/support/model-request.js';
import { Cancellation } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import { GatewayError } from '../core/errors.js';
import type { PlanRunner, StartedCall } from '../routing/plan-runner.js';
import type { ToolContexts } from '../tools/tool-contexts.js';
import type { FurtherCalls } from './further-calls.js';
import type { AdmittedGeneration } from './billing/admitted-generation.js';
import { GenerationContexts } from './generation-contexts.js';
import type { RequestPlanner } from './request-planner.js';

const UNANSWERED = new GatewayError('unavailable', 'No provider answered.');

/** @param run returns the call of the model */
async function bench(run: () => Promise<StartedCall>) {
  let isFree = true;
  const admitConsulted = async () => {
    if (!isFree) return undefined;
    isFree = false;
    return { plan: { legs: [] }, prompt: {}, release: () => void (isFree = true) };
  };
  const routed = { plan: { models: ['a/b'], legs: [] }, inputs: { policies: [] } };
  const planned = { stages: [], offers: [], offered: new Map(), plugins: {}, request: modelRequest(), routed };
  const generation = { pipeline: [], consulted: [], caller: {}, observe: () => undefined, endCall: () => undefined };
  const contexts = { ready: () => undefined, open: () => ({ at: (parts: object) => parts, close: () => undefined }) };
  const made = new GenerationContexts(
    { plan: async () => planned } as unknown as RequestPlanner,
    { admitConsulted } as unknown as FurtherCalls,
    { run } as unknown as PlanRunner,
    contexts as unknown as ToolContexts,
    undefined as never,
  );
  const { signal } = new Cancellation();
  const contextAt = await made.open({ generation, planned, admitted: {}, signal } as unknown as AdmittedGeneration);
  let refusals = 0;
  const scope = { signal, refused: () => void refusals++, consulted: () => undefined };
  const context = contextAt(modelRequest(), scope);
  return {
    infer: () => context.infer(modelRequest(), 'advisor'),
    isFree: () => isFree,
    refusals: () => refusals,
  };
}

function started(events: () => AsyncGenerator<readonly ModelEvent[]>): StartedCall {
  const call = { observe: (batch: readonly ModelEvent[]) => batch.some(({ type }) => type === 'reply-end') };
  return { call, events: events(), stages: [] } as unknown as StartedCall;
}

it('reuses the reservation of a model that no provider answered', async () => {
  const { infer, isFree, refusals } = await bench(() => Promise.reject(UNANSWERED));
  await expect(infer()).rejects.toBe(UNANSWERED);
  expect(isFree()).toBe(true);
  await expect(infer()).rejects.toBe(UNANSWERED);
  expect(refusals()).toBe(0);
});

it('reuses the reservation of a model that broke off', async () => {
  const call = started(async function* () {
    yield [{ type: 'ping' }];
    throw new Error('broken off');
  });
  const { infer, isFree } = await bench(() => Promise.resolve(call));
  const events = (await infer())[Symbol.asyncIterator]();
  await events.next();
  expect(isFree()).toBe(false);
  await expect(events.next()).rejects.toThrow('broken off');
  expect(isFree()).toBe(true);
});

it('refuses a model without a reservation, and notifies its caller', async () => {
  const call = started(async function* () {
    yield [{ type: 'ping' }];
  });
  const { infer, refusals } = await bench(() => Promise.resolve(call));
  await infer();
  await expect(infer()).rejects.toMatchObject({ kind: 'payment-required' });
  expect(refusals()).toBe(1);
});
