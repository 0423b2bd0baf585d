/**
 * The planner with stand-ins for its dependencies, and policies that change while a plugin prepares a request: what the
 * new policies forbid is not called.
 */
import type { RoutingPolicies } from '../accounts/routing-policies.js';
import type { Caller } from '../core/caller.js';
import { Cancellation } from '../core/cancellation.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { RoutingPolicy } from '../core/routing/route-inputs.js';
import type { ActiveGuardrails } from '../guardrails/active-guardrails.js';
import type { RoutePlanner } from '../routing/route-planner.js';
import type { PluginSelector } from './plugins/plugin-selector.js';
import { RequestPlanner } from './request-planner.js';

const REQUEST = { model: 'acme/large', messages: [], tools: [] } as unknown as ModelRequest;
const EARLIER = [{ zdr: false }] as unknown as readonly RoutingPolicy[];
const LATER = [{ zdr: true }] as unknown as readonly RoutingPolicy[];

/** @returns the policies that the request was routed under */
async function routedUnder(changesRequest: boolean): Promise<unknown> {
  let routing = EARLIER;
  let under: unknown;
  const plugins = {
    changesRequest,
    prepare: (request: ModelRequest) => {
      routing = LATER;
      return Promise.resolve({ request, stages: [], files: [] });
    },
  };
  const routes = {
    plan: (_request: ModelRequest, _caller: Caller, allowing: readonly RoutingPolicy[]) => {
      under = allowing;
      throw new Error('routed');
    },
  };
  const planner = new RequestPlanner(
    { of: () => ({ policies: [] }) } as unknown as ActiveGuardrails,
    routes as unknown as RoutePlanner,
    { of: () => ({ routing, plugins: {} }) } as unknown as RoutingPolicies,
    { of: () => plugins } as unknown as PluginSelector,
    ...([undefined, undefined, undefined] as unknown as [never, never, never]),
  );
  const plan = async (): Promise<unknown> => planner.plan(REQUEST, {} as Caller, new Cancellation());
  await expect(plan()).rejects.toThrow('routed');
  return under;
}

it('routes under the policies in force when the request has been prepared', async () => {
  expect(await routedUnder(true)).toBe(LATER);
});

it('routes synchronously, under the policies it has read, where nothing is prepared', async () => {
  expect(await routedUnder(false)).toBe(EARLIER);
});
