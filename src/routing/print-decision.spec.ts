// A printed decision names every endpoint, reason, call and missing part. Whole texts of explanations.
import type { ExplainedDecision } from '../core/routing/decision/explain-decision.js';
import { printDecision } from './print-decision.js';

const DERIVED: ExplainedDecision = {
  derivation: 'derived',
  requested: 'a/b',
  seed: 'seed-1',
  catalog: 'c1',
  catalogNow: 'c1',
  cut: ['legs'],
  calls: [{ model: 'a/b', tag: 'beta', credential: 'key-1', status: 429 }],
  plan: {
    ordering: 'draw',
    models: ['a/b'],
    attemptsMax: 6,
    legs: [
      { model: 'a/b', tag: 'beta', credential: 'key-1', provider: 'Beta', price: 2, weight: 0.25, isPinned: true },
      { model: 'a/b', tag: 'alpha', provider: 'Alpha', price: 0, setBack: 'outage' },
    ],
    excluded: [
      { model: 'a/b', tag: 'gamma', reason: 'max-price', words: 'is dearer than max_price', detail: 'prompt 3 > 2' },
      { model: 'x/y', reason: 'unknown-model', words: 'is not in the catalog' },
    ],
  },
};

describe('printDecision', () => {
  it('prints a derived plan', () => {
    expect(printDecision(DERIVED)).toBe(
      `Requested: a/b
Seed: seed-1; catalog: c1
Left out of the record, which would have been too long: legs
Recomputed from the record and the catalog: the plan is the same.
Could be tried, drawn from the seed, weighted by price, at most 6 calls:
  1. a/b at beta with key-1 (Beta): 2 USD per million tokens, weight 0.25, pinned by the session
  2. a/b at alpha (Alpha): free, set back: in outage
Left out:
  a/b at gamma: is dearer than max_price (prompt 3 > 2) [max-price]
  x/y: is not in the catalog [unknown-model]
Called:
  1. a/b at beta with key-1: 429
`,
    );
  });

  it('names the plugin that chose the models, and the data it chose from', () => {
    const choice = { by: 'auto-router', strategy: 'auto', data: { kind: 'code', tradeoff: 7 } } as const;
    expect(printDecision({ ...DERIVED, choice })).toContain(
      'Requested: a/b\nChosen by auto-router (auto), from {"kind":"code","tradeoff":7}\nSeed: seed-1',
    );
  });

  it('prints the recorded parts where the plan cannot be derived, and both catalogs', () => {
    const text = printDecision({
      derivation: 'catalog-changed',
      catalog: 'c1',
      catalogNow: 'c2',
      cut: ['requested', 'seed'],
      calls: [],
      recordedLegs: [{ tag: 'alpha' }],
    });
    expect(text).toContain('it is c2 now');
    expect(text).toContain('  1. (a model that was cut) at alpha\n');
    expect(text).toContain('Requested: (cut)\nSeed: (cut); catalog: c1\n');
    expect(text).toMatch(/Called:\n {2}none\n$/);
  });
});
