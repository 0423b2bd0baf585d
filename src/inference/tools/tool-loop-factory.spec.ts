// Loops of made-up tools over the billing of a generation, with a ledger of limited balance: the possible cost of uses
// is reserved for them alone, and their actual cost is not counted twice.
import { setImmediate } from 'node:timers/promises';
import { extensionContext } from '../../../test/support/extension-context.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { Cancellation } from '../../core/cancellation.js';
import { GatewayError } from '../../core/errors.js';
import type { Generation } from '../../core/generation/generation.js';
import type { MeasuredPrompt } from '../../core/money/measure-prompt.js';
import type { PlannedLeg } from '../../core/routing/plan.js';
import type { GatewayRunTool, ToolResult } from '../../core/tool.js';
import type { HeldAmounts, Hold } from '../../ledger/hold.js';
import type { PlanRunner } from '../../routing/plan-runner.js';
import type { FurtherCalls, NextCall } from '../further-calls.js';
import type { AdmittedGeneration, ContextAt } from '../billing/admitted-generation.js';
import type { BillingDependencies } from '../billing/billing-dependencies.js';
import { GenerationBilling } from '../billing/generation-billing.js';
import type { OfferedTool } from './offered-tools.js';
import { ToolLoopFactory } from './tool-loop-factory.js';

/** Price of one use of the paid tool. */
const PRICE = 10n;
const LEG = {} as PlannedLeg;
const amounts = (credits: bigint): HeldAmounts => ({ credits, byok: 0n });
const result = (text: string): ToolResult => ({ text, content: null, sources: [], isError: false });

interface Tools {
  readonly paid: GatewayRunTool['run'];
  readonly adviser: GatewayRunTool['run'];
}

/** @param room everything that the ledger has */
function bench(
  reservation: bigint,
  tools: Tools,
  admitStep: FurtherCalls['admitStep'] = async () => undefined,
  { isRefused = false } = {},
) {
  const hold = { bound: amounts(0n) } as Hold;
  const ledger = {
    extend: async ({ bound }: Hold, { credits }: HeldAmounts) => {
      if (bound.credits + credits > reservation) return { refused: [] };
      hold.bound = amounts(bound.credits + credits);
      return undefined;
    },
    postSettled: async () => undefined,
    note: async () => undefined,
  };
  const generation = { caller: {}, calls: [], toolUses: [], pipeline: [] } as unknown as Generation;
  const billing = new GenerationBilling(
    { ledger } as unknown as BillingDependencies,
    generation,
    hold,
    {} as MeasuredPrompt,
  );
  const offeredAs = (name: keyof Tools, price: bigint): [string, OfferedTool] => {
    const asFunction = { name, description: '', inputSchema: { type: 'object' } };
    const fail = (failure: string): ToolResult => ({ ...result(failure), isError: true });
    const tool: GatewayRunTool = { runsAt: 'gateway', asFunction, price, usesMax: 9, run: tools[name], fail };
    return [name, { type: `made-up:${name}`, name, service: { resultType: 'r' }, tool } as OfferedTool];
  };
  const offered = new Map([offeredAs('paid', PRICE), offeredAs('adviser', 0n)]);
  const { signal } = new Cancellation();
  const inspect = (request: unknown) => ({ request, stages: [] });
  const admitted = { billing, plan: { legs: [] }, release: () => undefined };
  const contextAt: ContextAt = (request, scope) => {
    if (isRefused) scope!.refused!();
    const { signal: ofUse, use } = scope!;
    return extensionContext({ request, signal: ofUse, ...(use && { charge: (cost: bigint) => use.charge(cost) }) });
  };
  const loop = new ToolLoopFactory(
    // The call after the uses costs nothing.
    {
      admitStep,
      admitUses: async (_: unknown, uses: HeldAmounts) => {
        const release = await billing.reserveNext(uses);
        return release && { releaseMoney: release, release };
      },
    } as unknown as FurtherCalls,
    { run: async () => ({ call: {} }) } as unknown as PlanRunner,
    undefined as never,
  ).begin(
    {
      generation,
      planned: { request: modelRequest(), offered, inspect, routed: {}, plugins: {} },
      admitted,
      signal,
    } as unknown as AdmittedGeneration,
    contextAt,
  );
  /** @returns the result of each call */
  const run = async (...names: (keyof Tools)[]): Promise<string[]> => {
    loop.pass([
      { type: 'reply-start', id: 'one', model: 'a/b' },
      ...names.flatMap((name, index) => [
        { type: 'block-start', index, block: { type: 'tool-use', id: `${index}`, name } } as const,
        { type: 'block-end', index } as const,
      ]),
      { type: 'reply-end', stop: { unified: 'tool-use', raw: null, vendor: 'anthropic' } },
    ]);
    await loop.runTools(LEG);
    return generation.toolUses.map(
      ({ type, isError }) => `${type.replace('made-up:', '')} ${isError ? 'failed' : 'ran'}`,
    );
  };
  return { run, loop, generation, billing };
}

function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/** An adviser that asks for an amount beside running uses. @returns a failure where there was no capacity */
const adviser = (amount: bigint, isTime: () => boolean) => {
  const { opened, open } = gate();
  const run = async (billing: GenerationBilling): Promise<ToolResult> => {
    while (!isTime()) await setImmediate();
    const release = await billing.reserveNext(amounts(amount));
    open();
    return { ...result('advice'), isError: release === undefined };
  };
  return { run, opened };
};

it.each([
  [5n, 'adviser ran'],
  [6n, 'adviser failed'],
])(
  'has all the remaining reservation for an adviser beside two uses of which one has ended: %d: %s',
  async (amount, advice) => {
    let uses = 0;
    const advises = adviser(amount, () => made.generation.toolUses.length > 0);
    const made = bench(2n * PRICE + 5n, {
      paid: async (_, { context }) => {
        if (uses++ > 0) await advises.opened;
        context.charge(PRICE);
        return result('paid');
      },
      adviser: () => advises.run(made.billing),
    });
    expect((await made.run('paid', 'paid', 'adviser')).sort()).toEqual([advice, 'paid ran', 'paid ran']);
  },
);

it.each([
  [5n, 'adviser ran'],
  [6n, 'adviser failed'],
])(
  'keeps the reservation of uses that fit, where one more does not, from an adviser beside them: %d: %s',
  async (amount, advice) => {
    const advises = adviser(amount, () => true);
    const made = bench(2n * PRICE + 5n, {
      paid: async (_, { context }) => {
        await advises.opened;
        context.charge(PRICE);
        return result('paid');
      },
      adviser: () => advises.run(made.billing),
    });
    expect((await made.run('paid', 'paid', 'paid', 'adviser')).sort()).toEqual([
      advice,
      'paid failed',
      'paid ran',
      'paid ran',
    ]);
  },
);

const paid: GatewayRunTool['run'] = async (_, { context }) => {
  context.charge(PRICE);
  return result('paid');
};
const once = { paid, adviser: async () => result('advice') };
const free = { ...once, paid: async () => result('paid') };
const PAUSE = [{}, { type: 'reply-end', stop: { unified: 'pause' } }];
const NEXT = { plan: { legs: [] }, prompt: {}, release: () => undefined } as unknown as NextCall;

it('keeps the whole reservation of the uses of a later step, whatever earlier ones have cost', async () => {
  const advises = adviser(1n, () => true);
  let uses = 0;
  const made = bench(
    2n * PRICE,
    {
      paid: async (_, { context }) => {
        if (uses++ > 0) await advises.opened;
        context.charge(PRICE);
        return result('paid');
      },
      adviser: () => advises.run(made.billing),
    },
    async () => NEXT,
  );
  await made.run('paid');
  await made.loop.next(LEG);
  expect((await made.run('paid', 'adviser')).sort()).toEqual(['adviser failed', 'paid ran', 'paid ran']);
});

describe('the next call', () => {
  it('reuses the reservation of uses that cost nothing', async () => {
    let release: (() => void) | undefined;
    const { run, loop, billing } = bench(PRICE, free, async () => {
      // Whole and shortened: the first attempt takes it.
      release ??= await billing.reserveNext(amounts(PRICE));
      return undefined;
    });
    await run('paid');
    await loop.next(LEG);
    expect(release).toBeDefined();
  });

  it('pauses the loop where there is no reservation for it, and while the ledger is unavailable', async () => {
    const away = new GatewayError('service-unavailable', 'The ledger is away.');
    for (const admit of [async () => undefined, () => Promise.reject(away)]) {
      const { run, loop } = bench(0n, once, admit);
      await run('adviser');
      expect(await loop.next(LEG)).toMatchObject(PAUSE);
    }
  });

  it('fails with any other error of its reservation', async () => {
    const fault = new GatewayError('invalid-request', 'of the request');
    const { run, loop } = bench(0n, once, () => Promise.reject(fault));
    await run('adviser');
    await expect(loop.next(LEG)).rejects.toBe(fault);
  });

  it.each<[string, keyof Tools, boolean]>([
    ['a model that a use called', 'adviser', true],
    ['a paid use', 'paid', false],
  ])('does not begin where %s had no reservation: the loop pauses', async (_, name, isRefused) => {
    const admitted = jest.fn<Promise<undefined>, []>(async () => undefined);
    const { run, loop } = bench(0n, once, admitted, { isRefused });
    await run(name);
    expect(await loop.next(LEG)).toMatchObject(PAUSE);
    expect(admitted).not.toHaveBeenCalled();
  });
});
