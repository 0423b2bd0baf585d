// Goal: each slug for which callers may keep credentials is either defined, in the code and in the shipped catalog, or
// listed as unroutable with a reason; every shipped provider can be called. Method: walks the lists.
import { PROVIDERS } from '../../../scripts/catalog-providers.js';
import { DIALECT_IDS, PLACEHOLDERS, PLATFORM_IDS } from '../../core/routing/catalog.js';
import { DEFINITIONS } from './index.js';
import { PUBLISHED_SLUGS } from '../../core/routing/published-slugs.js';
import { UNROUTABLE } from './unroutable.js';

/** Least number of published slugs that must be defined. */
const DEFINED_MIN = 60;

const defined = DEFINITIONS.map(({ slug }) => slug);

describe('published slugs', () => {
  it.each([...PUBLISHED_SLUGS])('%s is either defined or unroutable', (slug) => {
    expect([defined.includes(slug), UNROUTABLE.has(slug)].sort()).toEqual([false, true]);
  });

  it('are those that have a reason, and no others', () => {
    expect([...UNROUTABLE.keys()].filter((slug) => !PUBLISHED_SLUGS.has(slug))).toEqual([]);
    for (const reason of UNROUTABLE.values()) expect(reason).toMatch(/^[A-Z].*[a-z]$/);
  });

  it('are defined for the most part', () => {
    expect(defined.filter((slug) => PUBLISHED_SLUGS.has(slug)).length).toBeGreaterThanOrEqual(DEFINED_MIN);
  });
});

describe('providers of the shipped catalog', () => {
  it('are the published ones that the code defines, each once', () => {
    const slugs = PROVIDERS.map(({ slug }) => slug).sort();
    expect(slugs).toEqual(defined.filter((slug) => PUBLISHED_SLUGS.has(slug)).sort());
  });

  it.each(PROVIDERS.map((provider) => [provider.slug, provider] as const))('%s can be called', (_, provider) => {
    const { dialect, platform = 'direct', baseUrl, credentialVariable, source, name } = provider;
    expect(DIALECT_IDS).toContain(dialect);
    expect(PLATFORM_IDS).toContain(platform);
    const placeholders = [...baseUrl.matchAll(/\{(\w+)\}/g)].map(([, placeholder]) => placeholder);
    expect(PLACEHOLDERS[platform]).toEqual(expect.arrayContaining(placeholders));
    expect(baseUrl).toMatch(/^https:\/\/[a-z0-9{][^\s?#]*[^/\s]$/);
    expect(credentialVariable).toMatch(/^[A-Z][A-Z0-9_]+$/);
    expect(source.url ?? source.package).toMatch(/^https:\/\/\S+|^@?[a-z-]+\/[a-z-]+@\d+\.\d+\.\d+$/);
    expect(source.read).toMatch(/^2026-\d\d-\d\d$/);
    expect(name).not.toBe('');
  });

  it('takes each its own credential', () => {
    const variables = PROVIDERS.map(({ credentialVariable }) => credentialVariable);
    expect(new Set(variables).size).toBe(variables.length);
  });
});
