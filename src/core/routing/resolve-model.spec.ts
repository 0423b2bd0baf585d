/**
 * Every name of a model resolves to the one model that has it, or to none. A small catalog and a table of names. Rules:
 * docs/use/models.md#names-of-models.
 */
import fc from 'fast-check';
import { catalogOf, endpoint, model } from '../../../test/support/route-inputs.js';
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import { nearestModels, resolveModel, withAllowedIds, withModelIds } from './resolve-model.js';

const at = (slug: string, upstreamModel: string) => endpoint(slug, { upstreamModel });

const catalog = catalogOf(
  model('acme/large-4.5', [at('acme', 'large-4-5-20250929')], { aliases: ['large-4-5', 'old/large'] }),
  model('acme/large-4.5:free', [at('acme', 'large-4-5-20250929')]),
  model('acme/shared', [at('acme', 'shared-by-acme')]),
  model('other/shared', [at('other', 'twin')]),
  model('other/second', [at('other', 'twin'), at('third', 'llama3:8b')]),
  model('other/only-free:free', [at('other', 'free-upstream')]),
  model('x/constructor', [at('other', '__proto__')]),
);

describe('resolveModel', () => {
  it.each([
    ['an id', 'acme/large-4.5', 'acme/large-4.5'],
    ['a variant', 'acme/large-4.5:free', 'acme/large-4.5:free'],
    ['an alias', 'large-4-5', 'acme/large-4.5'],
    ['an alias with an author', 'old/large', 'acme/large-4.5'],
    ['a variant behind an alias', 'large-4-5:free', 'acme/large-4.5:free'],
    ['the slug of one author', 'large-4.5', 'acme/large-4.5'],
    ['a slug with its variant', 'large-4.5:free', 'acme/large-4.5:free'],
    ["a provider's name, of the plain model before its variant", 'large-4-5-20250929', 'acme/large-4.5'],
    ["a variant behind a provider's name", 'large-4-5-20250929:free', 'acme/large-4.5:free'],
    ["a provider's name with a colon", 'llama3:8b', 'other/second'],
    ["a provider's name of a variant alone", 'free-upstream', 'other/only-free:free'],
    ['a slug that every object has a member of', 'constructor', 'x/constructor'],
    ['an upstream name that every object has a member of', '__proto__', 'x/constructor'],
  ])('resolves %s', (_, name, id) => {
    expect(resolveModel(catalog, name)).toEqual({ id });
  });

  it.each([
    ['a slug of two authors', 'shared', ['acme/shared', 'other/shared']],
    ["a provider's name of two models", 'twin', ['other/shared', 'other/second']],
    ['a variant of a slug of two authors', 'shared:free', ['acme/shared', 'other/shared']],
  ])('does not guess for %s', (_, name, candidates) => {
    expect(resolveModel(catalog, name)).toEqual({ candidates });
  });

  it.each([
    ['nothing', ''],
    ['a variant that the model does not have', 'large-4-5:thinking'],
    ['a variant of nothing', ':free'],
    ['another case', 'Large-4-5'],
    ['an author alone', 'acme'],
    ['what objects inherit', 'toString'],
  ])('does not resolve %s', (_, name) => {
    expect(resolveModel(catalog, name)).toBeUndefined();
  });

  it('returns an id of the catalog, or candidates of it, for any name', () => {
    const words = fc.constantFrom('acme', '/', ':', 'large-4.5', 'free', 'shared', 'large-4-5', 'twin', '');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 4 }), (parts) => {
        const found = resolveModel(catalog, parts.join(''));
        const ids = found === undefined ? [] : 'id' in found ? [found.id] : found.candidates;
        expect(ids.filter((id) => !catalog.models.has(id))).toEqual([]);
        expect(found && 'candidates' in found ? found.candidates.length : 2).toBeGreaterThan(1);
      }),
    );
  });
});

describe('nearestModels', () => {
  it('offers three at most, the nearest first, each once', () => {
    expect(nearestModels(catalog, 'large-4.6')[0]).toBe('acme/large-4.5');
    expect(nearestModels(catalog, 'acme/large_4_5')).toEqual(['acme/large-4.5', 'acme/large-4.5:free', 'acme/shared']);
  });

  it('offers nothing for a name without a similar one, of any length', () => {
    for (const name of ['', 'zzzzzzzzzz', 'q'.repeat(1_000_000)]) expect(nearestModels(catalog, name)).toEqual([]);
  });

  it('searches a thousand models in less than 5 ms', async () => {
    const many = catalogOf(...Array.from({ length: 1_000 }, (_, index) => model(`acme/large-${index}-instruct`, [])));
    // The first runs are slower, because the code is compiled meanwhile.
    const looks = (): number =>
      Math.min(
        ...Array.from({ length: 20 }, (_, look) =>
          computedMs(() => void nearestModels(many, `acme/large-${look}-instrukt`)),
        ),
      );
    expect(await fastest(looks, 5)).toBeLessThan(5);
  });
});

describe('lists of models in policies and credentials', () => {
  it('compare ids, by whichever names the entries use', () => {
    const policies = [
      { onlyModels: ['large-4-5', 'other/*', 'shared'] },
      { ignoreModels: ['twin', 'unknown'] },
      { keyModels: ['large-4-5', 'other/*'] },
      {},
    ];
    expect(withModelIds(policies, catalog)).toEqual([
      { onlyModels: ['acme/large-4.5', 'other/*', 'shared'] },
      { ignoreModels: ['other/shared', 'other/second', 'unknown'] },
      { keyModels: ['acme/large-4.5', 'other/*'] },
      {},
    ]);
    const credential = { id: 'c', provider: 'acme', isFallback: false, sortOrder: 0 };
    const limited = { ...credential, allowedModels: ['large-4-5-20250929', 'x/y', 'other/*', 'y/*'] };
    expect(withAllowedIds([credential, limited], catalog)).toEqual([
      credential,
      {
        ...credential,
        allowedModels: ['acme/large-4.5', 'x/y', 'other/shared', 'other/second', 'other/only-free:free'],
      },
    ]);
  });

  it('are unchanged where they name no models', () => {
    const policies = [{ only: ['acme'] }];
    expect(withModelIds(policies, catalog)).toBe(policies);
    const credentials = [{ id: 'c', provider: 'acme', isFallback: false, sortOrder: 0 }];
    expect(withAllowedIds(credentials, catalog)).toBe(credentials);
  });
});
