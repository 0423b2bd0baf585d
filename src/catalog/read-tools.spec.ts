// The configuration of service-side tools is read exactly, engines that cannot be called are not offered, and a fault
// is reported with its field. The `tools` of a small file, whole readings compared.
import { credentialSources } from '../../test/support/credential-sources.js';
import type { ToolsConfiguration } from '../core/routing/catalog.js';
import { describeFault } from './fault.js';
import { readCatalog } from './read-catalog.js';

const MIB = 1024 * 1024;

function read(tools: string, variables: Record<string, string> = {}): ToolsConfiguration | string[] {
  const file = { name: 'own.yaml', text: `version: 1\ntools: ${tools}\n` };
  const reading = readCatalog(file, undefined, credentialSources(variables, {}));
  return 'faults' in reading ? reading.faults.map(describeFault) : reading.snapshot.tools;
}

const configured = (tools: string, variables: Record<string, string> = {}): ToolsConfiguration =>
  read(tools, variables) as ToolsConfiguration;
const search = (engines: string, more = ''): string => `{ web_search: { engines: ${engines}${more} } }`;

const EXA = 'exa: { base_url: "http://exa.test", credential: { env: EXA_API_KEY } }';
const SEARXNG = 'searxng: { base_url: "http://search.test" }';

describe('web_search', () => {
  it('takes the first engine where none is named', () => {
    expect(configured(search(`{ ${SEARXNG}, simulated: {} }`)).webSearch?.default).toBe('searxng');
    expect(configured(search(`{ simulated: {}, ${SEARXNG} }`)).webSearch?.default).toBe('simulated');
  });

  it('skips an engine whose credential is not set', () => {
    const engines = search(`{ ${EXA}, ${SEARXNG} }`);
    const without = configured(engines).webSearch;
    expect([without?.default, ...without!.engines.keys()]).toEqual(['searxng', 'searxng']);
    const { webSearch } = configured(engines, { EXA_API_KEY: 'key' });
    expect([webSearch?.default, webSearch?.engines.get('exa')?.credential?.reveal()]).toEqual(['exa', 'key']);
    expect(configured(search(`{ ${EXA} }`)).webSearch).toBeUndefined();
  });

  it('keeps a default that cannot be called: no other engine replaces it', () => {
    const { webSearch } = configured(search(`{ ${EXA}, ${SEARXNG} }`, ', default: exa'));
    expect([webSearch?.default, ...webSearch!.engines.keys()]).toEqual(['exa', 'searxng']);
  });
});

describe('web_fetch and bash', () => {
  it('cost nothing and have their usual bounds by default', () => {
    expect(configured('{ web_fetch: {}, bash: {} }')).toEqual({
      webFetch: { price: 0n, engines: new Map() },
      bash: { price: 0n, memoryBytes: 64 * MIB, timeMs: 30_000 },
    });
  });

  it.each([
    ['{ memory: 16MiB, time: 1ms }', 16 * MIB, 1],
    ['{ memory: 1GiB, time: 300s }', 1024 * MIB, 300_000],
    ['{ memory: 20480KiB }', 20 * MIB, 30_000],
  ])('takes bash %s', (bash, memoryBytes, timeMs) => {
    expect(configured(`{ bash: ${bash} }`).bash).toEqual({ price: 0n, memoryBytes, timeMs });
  });
});

// oxfmt-ignore
it.each([
  ['an unknown tool', '{ web: {} }', 'tools.web: is not a known field'],
  ['a search without engines', '{ web_search: {} }', 'tools.web_search.engines: is required'],
  ['a default that is none of the engines', search('{ simulated: {} }', ', default: exa'), 'tools.web_search.default: names none of the engines'],
  ['an unknown engine', search('{ bing: {} }'), 'tools.web_search.engines.bing: must be named one of exa, parallel, firecrawl, perplexity, searxng, simulated', 'tools.web_search.engines.bing.base_url: is required'],
  ['an engine without an address', search('{ exa: {} }'), 'tools.web_search.engines.exa.base_url: is required'],
  ['an engine at a bad address', search('{ exa: { base_url: exa } }'), 'tools.web_search.engines.exa.base_url: must be an http or https URL'],
  ['an address of an engine that has none', search('{ simulated: { base_url: "http://x.test" } }'), 'tools.web_search.engines.simulated.base_url: is not a known field'],
  ['a search engine that fetches nothing', '{ web_fetch: { engines: { searxng: { base_url: "http://x.test" } } } }', 'tools.web_fetch.engines.searxng: must be named one of exa, parallel, firecrawl'],
  ['a price that is no text', '{ web_fetch: { price: 0 } }', 'tools.web_fetch.price: must be a decimal string such as "0.25"'],
  ['a size without its unit', '{ bash: { memory: 64 } }', 'tools.bash.memory: must be a size such as "64MiB"'],
  ['too little memory', '{ bash: { memory: 15MiB } }', 'tools.bash.memory: must be from "16MiB" to "1024MiB"'],
  ['too much memory', '{ bash: { memory: 1025MiB } }', 'tools.bash.memory: must be from "16MiB" to "1024MiB"'],
  ['too much time', '{ bash: { time: 301s } }', 'tools.bash.time: must be at most "300s"'],
])('refuses %s', (_, tools, ...faults) => {
  expect(read(tools)).toEqual(faults.map((fault) => `own.yaml:2: ${fault}`));
});
