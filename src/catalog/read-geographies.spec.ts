// A geography multiplies every token price exactly, and nothing else; a factor that is not exact is refused with its
// field. Price lists in the file's own form.
import { formatUsd } from '../core/money/credits.js';
import type { Endpoint } from '../core/routing/catalog.js';
import { describeFault } from './fault.js';
import { readCatalog } from './read-catalog.js';
import { NO_CREDENTIALS } from '../../test/support/credential-sources.js';

const file = (pricing: string): string => `version: 1
providers:
  - { slug: acme, name: Acme, dialect: anthropic-messages, base_url: "https://acme.test" }
models:
  - id: acme/one
    name: One
    context_length: 1000
    endpoints:
      - { provider: acme, model: one, pricing: ${pricing} }
`;

function read(pricing: string): Endpoint | readonly string[] {
  const reading = readCatalog(
    { name: 'one.yaml', text: file(pricing.replaceAll('\n', ' ')) },
    undefined,
    NO_CREDENTIALS,
  );
  return 'faults' in reading
    ? reading.faults.map(describeFault)
    : reading.snapshot.models.get('acme/one')!.endpoints[0]!;
}

it('multiplies the token prices of every list, and no price per use', () => {
  const plain = read(`{ prompt: "3", completion: "15", input_cache_read: "0.3", request: "0.5", image: "0.25",
web_search: "0.01", tiers: [{ min_prompt_tokens: 200, prompt: "6" }],
fast: { prompt: "30", tiers: [{ min_prompt_tokens: 100, prompt: "60" }] }, geo: { us: "1.1" } }`) as Endpoint;
  const there = plain.geographies!.get('us')!;
  expect(there).toMatchObject({ tag: 'acme', upstreamModel: 'one', geography: { word: 'us' } });
  expect(there.geography!.elsewhere).toBe(plain);
  expect(plain.geography).toBeUndefined();
  expect(there.pricing).toEqual({
    prompt: 3_300_000n,
    completion: 16_500_000n,
    inputCacheRead: 330_000n,
    request: 500_000_000_000n,
    image: 250_000_000_000n,
    webSearch: 10_000_000_000n,
    tiers: [{ minPromptTokens: 200, prompt: 6_600_000n }],
    fast: { prompt: 33_000_000n, tiers: [{ minPromptTokens: 100, prompt: 66_000_000n }] },
  });
  expect(formatUsd(plain.pricing!.prompt)).toBe('0.000003');
});

it.each([
  ['{ us: "1.1" }', 'prompt: "0.000001"', /geo\.us: must keep every price a whole number/],
  ['{ us: "0" }', 'prompt: "1"', /geo\.us: must be above 0/],
  ['{ us: "-1" }', 'prompt: "1"', /geo\.us: must not be negative/],
  ['{ us: 1.1 }', 'prompt: "1"', /geo\.us: must be a decimal string/],
  ['{ global: "1.1" }', 'prompt: "1"', /geo\.global: must not be priced apart/],
  ['{ US: "1.1" }', 'prompt: "1"', /geo\.US: must be named in lower case/],
  ['us', 'prompt: "1"', /geo: must be an object/],
])('refuses %s beside %s', (geo, prompt, fault) => {
  expect(read(`{ ${prompt}, completion: "1", geo: ${geo} }`)).toEqual([expect.stringMatching(fault)]);
});
