// Goal: what the reader of catalogs lets through has an address, and what it refuses has none. Method: every platform
// with every dialect, addressed without a credential.
import { AheadClock } from '../../../test/support/ahead-clock.js';
import { endpoint, model, provider } from '../../../test/support/route-inputs.js';
import { DIALECT_IDS, PLATFORM_IDS, SERVED_DIALECTS } from '../../core/routing/catalog.js';
import type { Transport } from '../transport.js';
import { PLATFORMS } from './index.js';

const dependencies = { transport: {} as Transport, clock: new AheadClock() };
const PAIRS = PLATFORM_IDS.flatMap((platform) => DIALECT_IDS.map((dialect) => [platform, dialect] as const));

it.each(PAIRS)('%s has an address for %s where the catalog may say so, and else none', (platform, dialect) => {
  const one = { ...endpoint('own'), dialect, provider: { ...provider('own'), platform, baseUrl: 'https://own.test' } };
  const definition = { slug: 'own', credential: 'none', quirks: {} } as const;
  const target = { model: model('a/b', [one]), endpoint: one, tier: 'standard', definition } as const;
  const call = { path: '/v1/models/m:generateContent', headers: {}, body: {}, stream: false };
  const address = (): unknown => PLATFORMS[platform](dependencies).address({ target, credential: undefined }, call);
  if (SERVED_DIALECTS[platform].includes(dialect)) expect(address()).toMatch(/^https:\/\/own\.test\/./);
  else expect(address).toThrow(expect.objectContaining({ kind: 'rejected-request' }));
});
