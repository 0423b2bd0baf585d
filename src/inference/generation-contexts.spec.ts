// Goal: the room of a model that is consulted is free for the next use, however its call went, and who asks it is told
// where there was none. Method: calls of models by hand, before an admission with room for one of them at a time.
import { modelRequest } from '../../test/support/model-request.js';
import { Cancellation } from '../core/cancellation.js';
import type { ModelEvent } from '../core/conversation/event.js';
import { GatewayError } from '../core/errors.js';
import type { PlanRunner, StartedCall } from '../routing/plan-runner.js';
import type { ToolContexts } from '../tools/tool-contexts.js';
import type { Admission } from './admission.js';
import type { AdmittedGeneration } from './admitted-generation.js';
import { GenerationContexts } from './generation-contexts.js';
import type { RequestPlanner } from './request-planner.js';

const NOBODY = new GatewayError('unavailable', 'Nobody answered.');

/** @param run what becomes of the call of the model */
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
    { admitConsulted } as unknown as Admission,
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
    ask: () => context.infer(modelRequest(), 'advisor'),
    isFree: () => isFree,
    refusals: () => refusals,
  };
}

function started(events: () => AsyncGenerator<readonly ModelEvent[]>): StartedCall {
  const call = { observe: (batch: readonly ModelEvent[]) => batch.some(({ type }) => type === 'reply-end') };
  return { call, events: events(), stages: [] } as unknown as StartedCall;
}

it('has the room of a model again of which nobody answered', async () => {
  const { ask, isFree, refusals } = await bench(() => Promise.reject(NOBODY));
  await expect(ask()).rejects.toBe(NOBODY);
  expect(isFree()).toBe(true);
  await expect(ask()).rejects.toBe(NOBODY);
  expect(refusals()).toBe(0);
});

it('has the room of a model again that broke off', async () => {
  const call = started(async function* () {
    yield [{ type: 'ping' }];
    throw new Error('broken off');
  });
  const { ask, isFree } = await bench(() => Promise.resolve(call));
  const events = (await ask())[Symbol.asyncIterator]();
  await events.next();
  expect(isFree()).toBe(false);
  await expect(events.next()).rejects.toThrow('broken off');
  expect(isFree()).toBe(true);
});

it('refuses a model for which there is no room, and tells who asks', async () => {
  const call = started(async function* () {
    yield [{ type: 'ping' }];
  });
  const { ask, refusals } = await bench(() => Promise.resolve(call));
  await ask();
  await expect(ask()).rejects.toMatchObject({ kind: 'payment-required' });
  expect(refusals()).toBe(1);
});
