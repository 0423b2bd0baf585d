// The banner of a start at a terminal shows what a person needs first, and no secret. Settings with canaries in their
// secrets, a catalog of three providers and two models.
import { catalogOf, endpoint, model } from '../../test/support/route-inputs.js';
import { PACKAGE_VERSION } from '../shared/package-version.js';
import { readEnvironment } from '../shared/read-environment.js';
import { startBanner } from './start-banner.js';

const withVariable = (slug: string, env: string) => {
  const one = endpoint(slug);
  return { ...one, provider: { ...one.provider, credentialSource: { env } } };
};
const CATALOG = catalogOf(
  model('vendor/open', [endpoint('open')]),
  model('vendor/closed', [withVariable('closed', 'CLOSED_API_KEY'), withVariable('other', 'OTHER_API_KEY')]),
);
const { environment } = readEnvironment({ FAIRLEAD_API_KEY: 'inference-canary-0123' }, '/srv');
const URL_OF = { url: 'http://127.0.0.1:8787', environment, catalog: CATALOG };

it('names address, console, reference, callable models, how to add a provider, and where the keys are', () => {
  const isReachable = ({ slug }: { readonly slug: string }): boolean => slug === 'open';
  expect(startBanner({ ...URL_OF, isReachable, hasNewKeys: true }))
    .toBe(`Fairlead ${PACKAGE_VERSION} listens at http://127.0.0.1:8787

  Console    http://127.0.0.1:8787/console
  Reference  http://127.0.0.1:8787/docs
  API        http://127.0.0.1:8787/api/v1, and http://127.0.0.1:8787/api for Anthropic clients
  Keys       printed below, this once
  Models     1 of 2 can be called: vendor/open
  Providers  start with CLOSED_API_KEY or OTHER_API_KEY to add one (docs/operate/catalog.md)
  Data       embedded database in /srv/.fairlead
`);
});

it('reports where no model can be called, and where no provider is left to add', () => {
  expect(startBanner({ ...URL_OF, isReachable: () => false, hasNewKeys: false })).toContain(
    '0 of 2 can be called: none',
  );
  const all = startBanner({ ...URL_OF, isReachable: () => true, hasNewKeys: false });
  expect(all).toContain('2 of 2 can be called: vendor/open, vendor/closed');
  expect(all).toContain('add one to the file that FAIRLEAD_CATALOG names');
  expect(all).not.toContain('canary');
});
