// The models that a caller could request are those that policies allow and for which a credential exists. A small
// catalog with policies, the operator's credentials and the caller's own.
import { catalogOf, endpoint, model, price } from '../../../test/support/route-inputs.js';
import { callableModels } from './callable-models.js';
import type { StoredCredential } from './credential.js';
import type { RoutingPolicy } from './route-inputs.js';

const FAST = price(1, { fast: { prompt: 1n, completion: 1n } });
const CATALOG = catalogOf(
  model('acme/one', [endpoint('alpha'), endpoint('beta', { pricing: FAST })]),
  model('acme/two', [endpoint('beta')]),
  model('other/none', []),
);
const OWN: StoredCredential = { id: 'c', provider: 'beta', isFallback: false, sortOrder: 0 };

const callable = (
  parts: {
    policies?: readonly RoutingPolicy[];
    credentials?: readonly StoredCredential[];
    shared?: readonly string[];
  } = {},
): Record<string, string[]> => {
  const { policies = [], credentials = [], shared = ['alpha', 'beta'] } = parts;
  const offersSharedCredential = ({ slug }: { readonly slug: string }): boolean => shared.includes(slug);
  const models = callableModels({ catalog: CATALOG, policies, credentials, offersSharedCredential });
  return Object.fromEntries(models.map(({ id, endpoints }) => [id, endpoints.map(({ tag }) => tag)]));
};

it.each<[string, Parameters<typeof callable>[0], object]>([
  ['all that has an endpoint', {}, { 'acme/one': ['alpha', 'beta'], 'acme/two': ['beta'] }],
  ['without those that have no credential', { shared: ['alpha'] }, { 'acme/one': ['alpha'] }],
  ['with those of an own credential', { shared: [], credentials: [OWN] }, { 'acme/one': ['beta'], 'acme/two': ['beta'] }],
  ['as far as that is for the model', { shared: [], credentials: [{ ...OWN, allowedModels: ['acme/two'] }] }, { 'acme/two': ['beta'] }],
  ['without models that a policy refuses', { policies: [{ ignoreModels: ['*/one'] }] }, { 'acme/two': ['beta'] }],
  ['without providers that a policy refuses', { policies: [{ ignore: ['beta'] }] }, { 'acme/one': ['alpha'] }],
  ['with a provider of which a policy allows one tier', { policies: [{ only: ['beta/fast'] }] }, { 'acme/one': ['beta'] }],
  ['nothing', { policies: [{ only: [] }] }, {}],
])('is %s', (_, parts, expected) => {
  expect(callable(parts)).toEqual(expected);
}); // oxfmt-ignore
