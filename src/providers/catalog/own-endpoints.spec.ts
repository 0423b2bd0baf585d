// Goal: a caller's own credential of each shipped provider works as soon as an operator's file has a model there,
// without further configuration; and how many such providers there are. Method: a file with one model at each provider,
// which extends the shipped one; calls are prepared and go to a transport that records them.
import { readFileSync } from 'node:fs';
import { PROVIDERS } from '../../../scripts/catalog-providers.js';
import { AheadClock } from '../../../test/support/ahead-clock.js';
import { NO_CREDENTIALS } from '../../../test/support/credential-sources.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { describeFault } from '../../catalog/fault.js';
import { readCatalog } from '../../catalog/read-catalog.js';
import { Cancellation } from '../../core/cancellation.js';
import { ProviderFault } from '../../core/errors.js';
import type { CatalogSnapshot } from '../../core/routing/catalog.js';
import { PUBLISHED_SLUGS } from '../../core/routing/published-slugs.js';
import { Secret } from '../../core/secret.js';
import type { Environment } from '../../shared/environment.js';
import { ProviderClient } from '../provider-client.js';
import { ProviderRegistry } from '../registry.js';
import { routabilityOf } from '../routability.js';
import { Transport, type OutgoingCall } from '../transport/transport.js';
import { UNROUTABLE } from './unroutable.js';

const KEY = 'sk-of-the-caller';
const SETTINGS = { timeouts: { connectMs: 2_000, idleMs: 60_000 } } as unknown as Environment;

class Notebook extends Transport {
  readonly calls: OutgoingCall[] = [];

  open(call: OutgoingCall): Promise<never> {
    this.calls.push(call);
    return Promise.reject(new ProviderFault('unreachable', 'Written down.'));
  }
}

function catalogOf(own: object): CatalogSnapshot {
  const shipped = { name: 'catalog/default.yaml', text: readFileSync('catalog/default.yaml', 'utf8') };
  const reading = readCatalog({ name: 'own.json', text: JSON.stringify(own) }, shipped, NO_CREDENTIALS);
  if ('faults' in reading) throw new Error(reading.faults.map(describeFault).join('\n'));
  return reading.snapshot;
}

const own = catalogOf({
  version: 1,
  extends: 'default',
  models: PROVIDERS.map(({ slug }) => ({
    id: `own/at-${slug}`,
    name: 'Own',
    context_length: 10_000,
    endpoints: [{ provider: slug, model: 'their-model', pricing: { prompt: '1', completion: '2' } }],
  })),
});

describe('a credential of the caller’s', () => {
  const direct = PROVIDERS.filter(({ platform }) => platform === undefined);

  it.each(direct.map((provider) => [provider.slug, provider] as const))('goes to %s', async (slug, { baseUrl }) => {
    const notebook = new Notebook();
    const client = new ProviderClient(new ProviderRegistry(notebook, new AheadClock()), SETTINGS);
    const model = own.models.get(`own/at-${slug}`)!;
    const request = modelRequest({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    });
    const target = { model, endpoint: model.endpoints[0]!, tier: 'standard' } as const;
    expect(model.endpoints[0]!.provider.credential).toBeUndefined();
    await expect(client.prepare(target, request, new Secret(KEY)).answer(new Cancellation())).rejects.toThrow();
    const [call] = notebook.calls;
    expect(call!.url.startsWith(`${baseUrl}/`)).toBe(true);
    expect(Object.values(call!.headers).join(' ')).toContain(KEY);
    expect(String(call!.body)).toContain('Hello');
  });

  it('is usable at each provider that the code defines', () => {
    for (const { slug } of PROVIDERS) expect([slug, routabilityOf(slug, own)]).toEqual([slug, { routable: true }]);
    // The others are on platforms with specs of their own: azure, amazon-bedrock and google-vertex.
    expect([PROVIDERS.length, direct.length]).toEqual([77, 74]);
  });
});

it('counts the published slugs: defined, served by the shipped catalog, and neither', () => {
  const shipped = catalogOf({ version: 1, extends: 'default' });
  const states = [...PUBLISHED_SLUGS].map((slug) => routabilityOf(slug, shipped));
  const routable = states.filter((state) => state.routable).length;
  const reasons = states.flatMap((state) => (state.routable ? [] : [state.reason]));
  expect({
    published: PUBLISHED_SLUGS.size,
    defined: PROVIDERS.length,
    routable,
    withoutEndpoint: reasons.filter((reason) => reason.startsWith('The catalog has no endpoint')).length,
    undefined: UNROUTABLE.size,
  }).toEqual({ published: 113, defined: 77, routable: 60, withoutEndpoint: 17, undefined: 36 });
  expect(reasons).toHaveLength(17 + 36);
});
