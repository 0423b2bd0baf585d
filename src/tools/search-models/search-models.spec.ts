// Finds catalogue models by words of names and kinds, in a small catalogue.
import { extensionContext } from '../../../test/support/extension-context.js';
import { catalogOf, endpoint, model } from '../../../test/support/route-inputs.js';
import type { JsonObject } from '../../core/json/json.js';
import type { GatewayRunTool } from '../../core/tool.js';
import { searchModels } from './search-models.js';

const CATALOG = catalogOf(
  model('acme/painter', [endpoint('p1', { usd: 3 }), endpoint('p2', { usd: 2 })], { outputModalities: ['image'] }),
  model('acme/writer', [endpoint('p1')]),
  ...Array.from({ length: 40 }, (_, index) => model(`other/m${index}`, [])),
);
const context = extensionContext({ callable: () => [...CATALOG.models.values()] });
const offer = (parameters: JsonObject): GatewayRunTool =>
  searchModels.offer(
    { type: 'openrouter:experimental__search_models', parameters, path: 'tools.0' },
    { catalog: CATALOG, modelOf: (): never => { throw new Error('needs no model'); } },
  ) as GatewayRunTool; // oxfmt-ignore
async function search(query: string, parameters: JsonObject = {}): Promise<string[]> {
  const { content, text } = await offer(parameters).run({ query }, { context, number: 1 });
  expect(JSON.parse(text)).toEqual(content);
  return (content as { models: readonly { id: string }[] }).models.map(({ id }) => id);
}

it('ranks by the number of matching words', async () => {
  expect(await search('Acme IMAGE')).toEqual(['acme/painter', 'acme/writer']);
  expect(await search('zzz')).toEqual([]);
});

it.each([
  [{}, 5],
  [{ max_results: 1 }, 1],
  [{ max_results: 20 }, 20],
])('returns at most the requested number: %j', async (parameters, count) => {
  expect(await search('', parameters)).toHaveLength(count);
});

it('returns the prices of the cheapest endpoint, in USD per token as the catalogue does, and names the unit', async () => {
  const tool = offer({});
  const { content } = await tool.run({ query: 'painter' }, { context, number: 1 });
  const pricing = { prompt: '0.000001', completion: '0.000001' };
  expect(content).toMatchObject({ models: [{ id: 'acme/painter', output_modalities: ['image'], pricing }] });
  expect(tool.asFunction.description).toContain('pricing is in USD per token');
});
