// The line of a start contains the most important facts and no secret; a credential under a wrong name is reported.
// Settings with canaries in their secrets, a catalog of three providers, tables of names.
import { Secret } from '../core/secret.js';
import type { CatalogProvider, CatalogSnapshot } from '../core/routing/catalog.js';
import { PACKAGE_VERSION } from '../shared/package-version.js';
import { readEnvironment } from '../shared/read-environment.js';
import { startSummary, warnOfMissedCredentials } from './start-summary.js';

const provider = (slug: string, more: Partial<CatalogProvider> = {}): [string, CatalogProvider] => [
  slug,
  {
    slug,
    name: slug,
    dialect: 'openai-chat',
    baseUrl: 'http://acme.test',
    policy: { collectsData: false, zeroDataRetention: false },
    ...more,
  },
];
const CATALOG: CatalogSnapshot = {
  hash: 'h',
  providers: new Map([
    provider('acme', { credentialSource: { env: 'ACME_API_KEY' } }),
    provider('open-air', { credentialSource: { env: 'OPEN_AIR_API_KEY' } }),
    provider('ready', { credentialSource: { env: 'READY_API_KEY' }, credential: new Secret('canary-ready') }),
  ]),
  models: new Map(),
  tools: {},
  plugins: {},
};
const isReachable = ({ credential }: CatalogProvider): boolean => credential !== undefined;

it('names version, servers, catalog, providers, processes and the data folder', () => {
  const { environment } = readEnvironment(
    {
      DATABASE_URL: 'postgres://user:canary-db@db.example:5433/books',
      REDIS_URL: 'redis://:canary-redis@redis.example:6380/1',
      FAIRLEAD_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      WORKERS: '3',
    },
    '/srv',
    '/opt/fairlead',
  );
  expect(startSummary({ environment, catalog: CATALOG, isReachable })).toBe(
    `Fairlead ${PACKAGE_VERSION}; PostgreSQL at db.example:5433/books; Redis at redis.example:6380; ` +
      'catalog /opt/fairlead/catalog/default.yaml with 0 models at 0 endpoints of 3 providers; ' +
      '1 of them can be called (ready), 2 have no credential (acme, open-air); 3 processes; data in /srv/.fairlead',
  );
});

it('reports what is embedded, and that there is no Redis', () => {
  const { environment } = readEnvironment({}, '/srv');
  const line = startSummary({ environment, catalog: CATALOG, isReachable: () => false });
  expect(line).toContain('; embedded database; no Redis; ');
  expect(line).toContain('0 of them can be called (none), 3 have no credential (acme, open-air, ready); 1 process; ');
});

it.each([
  ['ACME_KEY', 'acme is read from ACME_API_KEY'],
  ['ACME_TOKEN', 'acme is read from ACME_API_KEY'],
  ['ACME_APIKEY', 'acme is read from ACME_API_KEY'],
  ['acme_api_key', 'acme is read from ACME_API_KEY'],
  ['ACME_API_KY', 'acme is read from ACME_API_KEY'],
  ['AMCE_API_KEY', 'acme is read from ACME_API_KEY'],
  ['OPENAIR_API_KEY', 'open-air is read from OPEN_AIR_API_KEY'],
])('%s is reported', (name, end) => {
  expect(warnOfMissedCredentials(CATALOG, { [name]: 'canary' })).toEqual([
    `${name} has no effect: the credential of ${end}`,
  ]);
});

it.each([
  'ACME_API_KEY',
  'READY_KEY',
  'ACME_URL',
  'OTHER_API_KEY',
  'KEY',
  'TOKEN',
  'ACME_AUTH_TOKEN',
  'ACME_APP_ID',
  'ACNE_API_KEY',
])('%s is not', (name) => {
  expect(warnOfMissedCredentials(CATALOG, { [name]: 'canary' })).toEqual([]);
});
