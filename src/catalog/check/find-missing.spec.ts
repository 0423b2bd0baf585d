// Data that routing or the ledger needs and a catalog lacks are reported, and nothing else. One complete model, and for
// each finding the same with one thing less.
import { endpoint, model } from '../../../test/support/route-inputs.js';
import type { CatalogProvider, Endpoint, Model, ToolsConfiguration } from '../../core/routing/catalog.js';
import { Secret } from '../../core/secret.js';
import { findMissing } from './find-missing.js';

const given = { maxCompletionTokens: 8_000, quantization: 'fp8', supportedParameters: ['max_tokens'] } as const;
const whole: Model = model('vendor/whole', [endpoint('alpha', given), endpoint('beta', given)], {
  inputModalities: ['text', 'image', 'file'],
  imageTokensMax: 1_600,
  pageTokensMax: 4_600,
  distillable: true,
});
const keyed = (slug: string): CatalogProvider => ({ ...endpoint(slug).provider, credential: new Secret('a key') });
const PROVIDERS = [keyed('alpha'), keyed('beta')];
const KNOWN = { carries: () => true, unmetBy: () => undefined, wantsCredential: () => true };

const servingOf = (models: readonly Model[]): ReadonlySet<string> =>
  new Set(models.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider.slug)));

/** `kind: words` up to the colon, with the subjects. */
function found(
  models: readonly Model[],
  {
    providers = PROVIDERS,
    unset,
    tools = {},
  }: { providers?: readonly CatalogProvider[]; unset?: string; tools?: ToolsConfiguration } = {},
): readonly (readonly [string, ...string[]])[] {
  const findings = findMissing(
    { models, providers, tools, serving: servingOf(models), unsetVariable: () => unset },
    KNOWN,
  );
  expect(new Set(findings.map(({ group }) => group)).size).toBeLessThan(2);
  return findings.map(({ words, subjects }) => [words.split(':')[0]!, ...subjects] as const);
}

const withEndpoints = (parts: Partial<Endpoint>): Model => ({
  ...whole,
  endpoints: whole.endpoints.map((one) => ({ ...one, ...parts })),
});
const BOTH = ['vendor/whole at alpha', 'vendor/whole at beta'];

it('finds nothing in a complete catalog', () => {
  expect(found([whole])).toEqual([]);
});

it('finds outputs without a maximum, but not where the model has one', () => {
  const { maxCompletionTokens: _, ...one } = whole.endpoints[0]!;
  const unbounded = { ...whole, endpoints: [one, whole.endpoints[1]!] };
  expect(found([unbounded])).toEqual([['no max_completion_tokens', 'vendor/whole at alpha']]);
  expect(found([{ ...unbounded, maxCompletionTokens: 4_000 }])).toEqual([]);
});

it.each([
  ['takes images, no image_tokens_max', 'imageTokensMax'],
  ['takes files, no page_tokens_max', 'pageTokensMax'],
  ['distillable is not stated', 'distillable'],
] as const)('finds: %s', (words, figure) => {
  const { [figure]: _, ...less } = whole;
  expect(found([less])).toEqual([[words, 'vendor/whole']]);
});

it("requires maxima only for accepted inputs, and none where the vendor's rule has them", () => {
  const { imageTokensMax: _, pageTokensMax: __, ...less } = whole;
  expect(found([{ ...less, inputModalities: ['text'] }])).toEqual([]);
  expect(found([{ ...less, inputModalities: ['image'], imageTokens: 'anthropic' }])).toEqual([]);
  // Gemini's rule does not bound images of unknown size.
  expect(found([{ ...less, inputModalities: ['image'], imageTokens: 'gemini' }])).toHaveLength(1);
});

it('finds models with only one endpoint', () => {
  const lonely = { ...whole, endpoints: whole.endpoints.slice(0, 1) };
  expect(found([lonely], { providers: PROVIDERS.slice(0, 1) })).toEqual([['only one endpoint', 'vendor/whole']]);
});

it('finds endpoints without a quantization or parameters', () => {
  expect(found([withEndpoints({ quantization: 'unknown' })])).toEqual([['no quantization', ...BOTH]]);
  expect(found([withEndpoints({ supportedParameters: [] })])).toEqual([['no supported_parameters', ...BOTH]]);
});

it('finds providers without a data policy', () => {
  const silent = { collectsData: true, zeroDataRetention: false };
  const with_ = (policy: CatalogProvider['policy']) =>
    found([whole], { providers: [{ ...PROVIDERS[0]!, policy }, PROVIDERS[1]!] });
  expect(with_(silent)).toEqual([['training and retention are not stated', 'alpha']]);
  expect(with_({ ...silent, region: 'eu' })).toHaveLength(1);
  expect(with_({ ...silent, collectsData: false })).toEqual([]);
  expect(with_({ ...silent, zeroDataRetention: true })).toEqual([]);
  expect(with_({ ...silent, trains: false })).toEqual([]);
  expect(with_({ ...silent, retentionDays: 30 })).toEqual([]);
});

it('finds providers without a credential, with one that is not set here, and without an endpoint', () => {
  const { credential: _, ...bare } = PROVIDERS[0]!;
  expect(found([whole], { providers: [bare, PROVIDERS[1]!] })).toEqual([['no credential', 'alpha']]);
  expect(found([whole], { unset: 'SOME_KEY' })).toEqual([
    ['the variable of the credential is not set here', 'alpha (SOME_KEY)', 'beta (SOME_KEY)'],
  ]);
  expect(found([whole], { providers: [...PROVIDERS, keyed('gamma')] })).toEqual([['no endpoint', 'gamma']]);
});

it('requires no credential where the provider needs none', () => {
  const { credential: _, ...bare } = PROVIDERS[0]!;
  const judged = {
    models: [whole],
    tools: {},
    providers: [bare, PROVIDERS[1]!],
    serving: servingOf([whole]),
    unsetVariable: () => undefined,
  };
  expect(findMissing(judged, { ...KNOWN, wantsCredential: () => false })).toEqual([]);
});

it('finds engines of tools that cost money and have no price', () => {
  const credential = new Secret('a key');
  const engines = new Map([
    ['exa', { credential }],
    ['parallel', { credential, price: 1n }],
    ['searxng', { baseUrl: 'http://127.0.0.1:8888' }],
  ]);
  const tools = { webSearch: { default: 'exa', engines }, webFetch: { price: 0n, engines } };
  expect(found([whole], { tools })).toEqual([['a credential and no price', 'web_search exa', 'web_fetch exa']]);
});
