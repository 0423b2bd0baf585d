// Goal: the socket of service tools carries what a tool needs: its own options, a price before it runs, a
// result for the model and another for the caller, and failures as results. Method: a made-up tool, driven
// as the loop will drive it.
import { catalogOf } from '../../test/support/route-inputs.js';
import { Cancellation } from './cancellation.js';
import { CallerGone } from './errors.js';
import type { ExtensionContext } from './extension.js';
import type { JsonObject } from './json/json.js';
import type { ServiceTool, ToolResult } from './tool.js';

type Options = { readonly places: number };

const failure = (message: string): ToolResult => ({
  text: message,
  content: { error_code: 'unavailable' },
  citations: [],
  isError: true,
  chargedUses: 0,
});

/** Divides by way of a worker. */
const division: ServiceTool<Options> = {
  types: ['made-up:division', 'division_20260101'],
  options: { type: 'object', properties: { places: { type: 'integer' } }, required: ['places'] },
  describe: ({ places }) => ({
    name: 'divide',
    description: `Divides, to ${places} places.`,
    inputSchema: { type: 'object', properties: { by: { type: 'number' } }, required: ['by'] },
  }),
  price: ({ places }) => BigInt(places),
  run: async ({ by }, { places }, { workers, signal }) => {
    if (by === 0) return failure('Nothing is divided by zero.');
    const quotient = await workers.run('divide', { by: by as number }, signal);
    const text = (quotient as number).toFixed(places);
    return { text, content: { quotient: text }, citations: [{ source: 'arithmetic' }], isError: false, chargedUses: 1 };
  },
};

const abort = new Cancellation();
const context: ExtensionContext = {
  caller: { accountId: 'a', workspaceId: 'w', keyHash: 'k', kind: 'inference', userId: null },
  signal: abort.signal,
  clock: { now: () => 0, aheadMs: 0 },
  catalog: catalogOf(),
  guardedFetch: { fetch: () => Promise.reject(new Error('nothing is fetched')) },
  workers: {
    run: (_job, input, signal) => {
      signal.throwIfAborted();
      return Promise.resolve(1 / ((input as JsonObject)['by'] as number));
    },
  },
  infer: () => Promise.reject(new Error('nobody is asked')),
};
const TWO = { places: 2 };

it('is shown to the model as a function, and priced before it runs', () => {
  expect(division.describe(TWO)).toMatchObject({ name: 'divide', description: 'Divides, to 2 places.' });
  expect(division.price(TWO)).toBe(2n);
});

it('gives the model its text and the caller its content', async () => {
  expect(await division.run({ by: 8 }, TWO, context)).toEqual({
    text: '0.13',
    content: { quotient: '0.13' },
    citations: [{ source: 'arithmetic' }],
    isError: false,
    chargedUses: 1,
  });
});

it('fails in a result, uncharged', async () => {
  expect(await division.run({ by: 0 }, TWO, context)).toMatchObject({ isError: true, chargedUses: 0 });
});

it('ends with its generation', async () => {
  abort.abort(new CallerGone());
  await expect(division.run({ by: 8 }, TWO, context)).rejects.toThrow(CallerGone);
});
