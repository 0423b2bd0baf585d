// Provider lists follow docs/use/choosing-providers.md#provider-names, misspelt entries are reported by name, and
// contradictory lists are refused. Tables.
import { catalogOf, endpoint, model } from '../../../test/support/route-inputs.js';
import { GatewayError } from '../errors.js';
import { assertNoContradiction } from './assert-preferences.js';
import type { CatalogProvider } from './catalog.js';
import type { ServiceTier } from './plan.js';
import { matchesSlug, readSlug } from './slug.js';
import { findUnknownProviders } from './unknown-providers.js';

const named = (slug: string, name: string): CatalogProvider => ({ ...endpoint(slug).provider, name });
const tagged = (tag: string, tier: ServiceTier = 'standard', name = 'Any'): Parameters<typeof matchesSlug>[1] => ({
  provider: named(tag.split('/')[0]!, name),
  tier,
  tag,
});

describe('provider slugs', () => {
  it.each<[string, Parameters<typeof matchesSlug>[1], boolean]>([
    ['openai', tagged('openai'), true],
    ['openai', tagged('openai/eu'), true],
    ['openai', tagged('openai/priority', 'priority'), false],
    ['openai/priority', tagged('openai/priority', 'priority'), true],
    ['openai/priority', tagged('openai'), false],
    ['openai/eu', tagged('openai/eu'), true],
    ['openai/eu', tagged('openai/eu-west'), false],
    ['openai/west', tagged('openai/eu-west'), false],
    ['openai/eu', tagged('openai/eu/priority', 'priority'), false],
    ['openai/eu/priority', tagged('openai/eu/priority', 'priority'), true],
    ['open', tagged('openai'), false],
    ['openai-eu', tagged('openai'), false],
    ['OpenAI/EU', tagged('openai/eu'), true],
    ['Z.AI', tagged('z-ai'), true],
    ['z-ai', tagged('zai'), true],
    ['Moonshot AI', tagged('moonshotai'), true],
    ['Google', tagged('google-vertex'), true],
    ['Google AI Studio', tagged('google-ai-studio'), true],
    ['Google', tagged('google-ai-studio'), false],
    ['Mancer 2', tagged('mancer'), true],
    ['our cluster', tagged('gpu-7', 'standard', 'Our Cluster'), true],
    ['', tagged('openai', 'standard', ''), false],
    ['-', tagged('openai', 'standard', ' . '), false],
  ])('%j against %j', (entry, candidate, expected) => {
    expect(matchesSlug(readSlug(entry), candidate)).toBe(expected);
  });

  it('lets the base slug of a policy cover the tiers, but not other providers', () => {
    expect(matchesSlug(readSlug('openai'), tagged('openai/priority', 'priority'), true)).toBe(true);
    expect(matchesSlug(readSlug('openai'), tagged('azure/priority', 'priority'), true)).toBe(false);
  });
});

const refusal = (act: () => void): string | undefined => {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError && error.kind === 'invalid-request') return error.message;
    throw error;
  }
};

describe('entries of provider lists', () => {
  const catalog = catalogOf(model('a/b', [endpoint('house'), endpoint('hours'), endpoint('groq')]));

  it.each([
    'openai',
    'OpenAI',
    'z-ai',
    'Claude Platform on AWS',
    'claude-on-aws',
    'house',
    'HOUSE',
    'deepinfra/turbo',
    'ncompass',
    'sakana-ai',
  ])('recognises %s', (entry) => {
    for (const list of ['order', 'only', 'ignore'])
      expect(findUnknownProviders({ [list]: [entry] }, catalog)).toEqual([]);
  });

  it.each(['order', 'only', 'ignore'])(
    'reports an unknown entry in %s by path and name, with the nearest known',
    (list) => {
      expect(findUnknownProviders({ [list]: ['openai', 'hous/turbo'] }, catalog)).toEqual([
        { field: `provider.${list}.1`, name: 'hous/turbo', nearest: ['house', 'hours'] },
      ]);
    },
  );

  it.each(['', '/turbo', 'openai2'])('reports %j as unknown, without a similar name', (entry) => {
    expect(findUnknownProviders({ only: [entry] }, catalog)).toMatchObject([{ nearest: [] }]);
  });

  it('bounds the shown length of an entry and of a list', () => {
    const reported = findUnknownProviders({ only: Array.from({ length: 1_000 }, () => 'x'.repeat(10_000)) }, catalog);
    expect([reported.length, reported[0]!.name.length <= 101]).toEqual([8, true]);
  });
});

describe('contradictory lists', () => {
  it.each<[readonly string[], readonly string[], boolean]>([
    [['openai'], ['openai'], true],
    [['openai'], ['OpenAI'], true],
    [['Google'], ['google-vertex'], true],
    [['openai', 'azure'], ['azure', 'openai', 'groq'], true],
    [['openai/eu'], ['openai'], true],
    [['openai'], ['openai/eu'], false],
    [['openai/priority'], ['openai'], false],
    [['openai/eu/priority'], ['openai'], false],
    [['openai/priority'], ['openai/priority'], true],
    [['openai', 'azure'], ['openai'], false],
    [[], ['openai'], false],
    [['openai'], [], false],
  ])('only %j, ignore %j', (only, ignore, isRefused) => {
    const message = refusal(() => assertNoContradiction({ only, ignore }));
    if (isRefused) expect(message).toMatch(/^provider\.only: every entry is in provider\.ignore/);
    else expect(message).toBeUndefined();
  });
});
