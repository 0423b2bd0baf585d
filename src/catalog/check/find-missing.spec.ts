// Goal: what routing or the books would need and a catalog does not say is named, and nothing else. Method: one model
// that says all there is to say, and for each finding the same with one thing less.
import { endpoint, model } from '../../../test/support/route-inputs.js';
import type { CatalogProvider, Endpoint, Model, ToolsConfiguration } from '../../core/routing/catalog.js';
import { Secret } from '../../core/secret.js';
import { findMissing } from './find-missing.js';

const said = { maxCompletionTokens: 8_000, quantization: 'fp8', supportedParameters: ['max_tokens'] } as const;
const whole: Model = model('vendor/whole', [endpoint('alpha', said), endpoint('beta', said)], {
  inputModalities: ['text', 'image', 'file'],
  imageTokensMax: 1_600,
  pageTokensMax: 4_600,
  distillable: true,
});
const keyed = (slug: string): CatalogProvider => ({ ...endpoint(slug).provider, credential: new Secret('a key') });
const PROVIDERS = [keyed('alpha'), keyed('beta')];
const KNOWN = { carries: () => true, wantsCredential: () => true };

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

it('finds nothing where all is said', () => {
  expect(found([whole])).toEqual([]);
});

it('finds outputs that nobody bounds, but not where the model says a maximum', () => {
  const { maxCompletionTokens: _, ...one } = whole.endpoints[0]!;
  const unbounded = { ...whole, endpoints: [one, whole.endpoints[1]!] };
  expect(found([unbounded])).toEqual([['no max_completion_tokens', 'vendor/whole at alpha']]);
  expect(found([{ ...unbounded, maxCompletionTokens: 4_000 }])).toEqual([]);
});

it.each([
  ['takes images, no image_tokens_max', 'imageTokensMax'],
  ['takes files, no page_tokens_max', 'pageTokensMax'],
  ['no word on distillable', 'distillable'],
] as const)('finds: %s', (words, figure) => {
  const { [figure]: _, ...less } = whole;
  expect(found([less])).toEqual([[words, 'vendor/whole']]);
});

it('asks for maxima only of what a model takes, and for none that the rule of the vendor has', () => {
  const { imageTokensMax: _, pageTokensMax: __, ...less } = whole;
  expect(found([{ ...less, inputModalities: ['text'] }])).toEqual([]);
  expect(found([{ ...less, inputModalities: ['image'], imageTokens: 'anthropic' }])).toEqual([]);
  // Gemini's rule bounds no image whose size is unknown.
  expect(found([{ ...less, inputModalities: ['image'], imageTokens: 'gemini' }])).toHaveLength(1);
});

it('finds models with one endpoint alone', () => {
  const lonely = { ...whole, endpoints: whole.endpoints.slice(0, 1) };
  expect(found([lonely], { providers: PROVIDERS.slice(0, 1) })).toEqual([['one endpoint alone', 'vendor/whole']]);
});

it('finds endpoints that say no quantization or no parameters', () => {
  expect(found([withEndpoints({ quantization: 'unknown' })])).toEqual([['no quantization', ...BOTH]]);
  expect(found([withEndpoints({ supportedParameters: [] })])).toEqual([['no supported_parameters', ...BOTH]]);
});

it('finds providers that say nothing of data', () => {
  const silent = { collectsData: true, zeroDataRetention: false };
  const with_ = (policy: CatalogProvider['policy']) =>
    found([whole], { providers: [{ ...PROVIDERS[0]!, policy }, PROVIDERS[1]!] });
  expect(with_(silent)).toEqual([['no word on training and retention', 'alpha']]);
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

it('asks for no credential where the provider needs none', () => {
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

it('finds engines of tools that somebody is paid for and no caller pays', () => {
  const credential = new Secret('a key');
  const engines = new Map([
    ['exa', { credential }],
    ['parallel', { credential, price: 1n }],
    ['searxng', { baseUrl: 'http://127.0.0.1:8888' }],
  ]);
  const tools = { webSearch: { default: 'exa', engines }, webFetch: { price: 0n, engines } };
  expect(found([whole], { tools })).toEqual([['a credential and no price', 'web_search exa', 'web_fetch exa']]);
});
