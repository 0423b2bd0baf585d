// A made-up tool, driven like in the loop: the interface of service tools provides its own options, a price before it
// runs, a result for the model and another for the caller, and failures as results.
import { extensionContext, openSeal, runCharged } from '../../test/support/extension-context.js';
import { catalogOf } from '../../test/support/route-inputs.js';
import { Cancellation } from './cancellation.js';
import { CallerGone } from './errors.js';
import type { JsonObject } from './json/json.js';
import type { GatewayRunTool, ServiceTool, ToolFailure, ToolResult } from './tool.js';

const fail = (failure: ToolFailure): ToolResult => ({
  text: `Failed: ${failure}.`,
  content: { error_code: failure },
  sources: [],
  isError: true,
});

/** Divides by way of a worker. */
const division: ServiceTool = {
  types: ['made-up:division', 'division_20260101'],
  resultType: 'division_tool_result',
  offer: ({ parameters: { places } }) => ({
    runsAt: 'gateway',
    asFunction: {
      name: 'divide',
      description: `Divides, to ${places as number} places.`,
      inputSchema: { type: 'object', properties: { by: { type: 'number' } }, required: ['by'] },
    },
    price: BigInt(places as number),
    usesMax: 1,
    run: async ({ by }, { context: { workers, signal, seal, charge } }) => {
      if (by === 0) return fail('invalid_tool_input');
      const quotient = await workers.run('divide', () => ({ by: by as number }), signal);
      charge(1n);
      const text = (quotient as number).toFixed(places as number);
      const sources = [{ url: 'https://numbers.example/' }];
      return { text, content: { encrypted_content: seal(text) }, sources, isError: false };
    },
    fail,
  }),
  recall: (content, open) => open(content as JsonObject) as string,
  isFailure: () => false,
};

const abort = new Cancellation();
const context = extensionContext({
  signal: abort.signal,
  workers: {
    run: (_job, makeInput, signal) => {
      signal.throwIfAborted();
      return Promise.resolve(1 / ((makeInput() as JsonObject)['by'] as number));
    },
  },
});
const offered = division.offer(
  { type: 'made-up:division', parameters: { places: 2 }, path: 'tools.0' },
  {
    catalog: catalogOf(),
    modelOf: () => {
      throw new Error('needs no model');
    },
  },
) as GatewayRunTool;

it('is shown to the model as a function, and priced before it runs', () => {
  expect(offered.asFunction).toMatchObject({ name: 'divide', description: 'Divides, to 2 places.' });
  expect(offered.price).toBe(2n);
});

it('returns its text to the model and its content to the caller, from which a later turn restores the text', async () => {
  const { text, content, cost } = await runCharged(offered, { by: 8 }, context);
  expect([text, cost]).toEqual(['0.13', 1n]);
  expect(division.recall(content, openSeal)).toBe(text);
});

it('fails with a result, without a charge', async () => {
  expect(await runCharged(offered, { by: 0 }, context)).toMatchObject({ isError: true, cost: 0n });
});

it('ends with its generation', async () => {
  abort.abort(new CallerGone());
  await expect(offered.run({ by: 8 }, { context, number: 1 })).rejects.toThrow(CallerGone);
});
