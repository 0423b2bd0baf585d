/**
 * Goal: every hold that is settled or released is moved once the database takes it, none is forgotten by a failure, and
 * who asks to flush waits for what was added before. Method: statements answered by hand, or failing by a random
 * script; the ids they were given.
 */
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { BooksRepository } from './books.repository.js';
import { Folds } from './folds.js';

const BATCH_MAX = 1_000;
const WAITING_MAX = 50_000;

type Statement = readonly [name: 'fold' | 'release', ids: readonly string[]];
type Act = (statement: Statement) => Promise<void>;

function foldsWith(act: Act): Folds {
  const books: Pick<BooksRepository, 'fold' | 'release'> = {
    fold: (ids) => act(['fold', [...ids]]),
    release: (ids) => act(['release', [...ids]]),
  };
  return new Folds(books as BooksRepository);
}

/** Writes down every statement; each is answered when the test says so. */
function byHand(): { folds: Folds; statements: Statement[]; answers: (() => void)[] } {
  const statements: Statement[] = [];
  const answers: (() => void)[] = [];
  const folds = foldsWith((statement) => {
    statements.push(statement);
    return new Promise((resolve) => answers.push(resolve));
  });
  return { folds, statements, answers };
}

const away = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const names = (count: number, of = 'id'): string[] => Array.from({ length: count }, (_, index) => `${of} ${index}`);
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

let errors: unknown[];
beforeEach(() => {
  errors = [];
  jest.spyOn(Logger.prototype, 'error').mockImplementation((error: unknown) => void errors.push(error));
});
afterEach(() => jest.restoreAllMocks());

describe('Folds', () => {
  it('asks nothing of the database while nothing waits', async () => {
    const { folds, statements } = byHand();
    await folds.flush();
    expect(statements).toEqual([]);
  });

  it('settles what is released before it moves the counters for it', async () => {
    const { folds, statements, answers } = byHand();
    folds.add('settled');
    folds.release('released');
    const flushed = folds.flush();
    await turns();
    expect(statements).toEqual([['release', ['released']]]);
    answers[0]!();
    await turns();
    expect(statements[1]).toEqual(['fold', ['settled', 'released']]);
    answers[1]!();
    await flushed;
    expect(statements).toHaveLength(2);
  });

  it('sends so many at a time and no more', async () => {
    const statements: Statement[] = [];
    const folds = foldsWith(async (statement) => void statements.push(statement));
    for (const id of names(2 * BATCH_MAX + 1)) folds.add(id);
    for (const id of names(BATCH_MAX + 1, 'released')) folds.release(id);
    await folds.flush();
    expect(statements.map(([name, ids]) => [name, ids.length])).toEqual([
      ['release', BATCH_MAX],
      ['release', 1],
      ['fold', BATCH_MAX],
      ['fold', BATCH_MAX],
      ['fold', BATCH_MAX],
      ['fold', 2],
    ]);
  });

  it('joins a flush to the one under way, and waits again for what came meanwhile', async () => {
    const { folds, statements, answers } = byHand();
    folds.add('first');
    const one = folds.flush();
    await turns();
    folds.add('second');
    let isOver = false;
    const others = Promise.all([folds.flush(), folds.flush()]).then(() => (isOver = true));
    await turns();
    // Never two at a time: they would wait for each other's rows.
    expect(statements).toEqual([['fold', ['first']]]);
    answers[0]!();
    await one;
    await turns();
    expect(statements).toEqual([
      ['fold', ['first']],
      ['fold', ['second']],
    ]);
    expect(isOver).toBe(false);
    answers[1]!();
    await others;
    await folds.flush();
    expect(statements).toHaveLength(2);
  });

  it.each<[string, Statement[0], Error, number]>([
    ['is away when a hold is released', 'release', away(), 0],
    ['is away when counters are moved', 'fold', away(), 0],
    ['refuses a release', 'release', new Error('refused'), 1],
    ['refuses to move counters', 'fold', new Error('refused'), 1],
  ])('keeps every hold when the database %s, and tells only of a refusal', async (_, name, error, told) => {
    let isFailing = true;
    const moved: string[] = [];
    const released: string[] = [];
    const folds = foldsWith(async ([statement, ids]) => {
      if (isFailing && statement === name) throw error;
      (statement === 'fold' ? moved : released).push(...ids);
    });
    for (const id of names(BATCH_MAX + 5, 'settled')) folds.add(id);
    for (const id of names(BATCH_MAX + 5, 'released')) folds.release(id);
    await folds.flush();
    expect(errors).toHaveLength(told);
    isFailing = false;
    await folds.flush();
    const all = [...names(BATCH_MAX + 5, 'settled'), ...names(BATCH_MAX + 5, 'released')];
    expect([...moved].sort()).toEqual([...all].sort());
    expect(new Set(released)).toEqual(new Set(names(BATCH_MAX + 5, 'released')));
    await folds.flush();
    expect(moved).toHaveLength(all.length);
  });

  it('moves each hold in the end, whatever fails and whatever comes meanwhile', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constantFrom('add', 'release'), count: fc.integer({ min: 1, max: 1_500 }) }),
      fc.record({ kind: fc.constant('flush'), count: fc.constant(0) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(fc.boolean(), { maxLength: 30 }),
        async (steps, failures) => {
          const moved: string[] = [];
          const released = new Set<string>();
          const script = [...failures];
          const folds = foldsWith(async ([name, ids]) => {
            await Promise.resolve();
            if (script.shift()) throw away();
            if (name === 'release') for (const id of ids) released.add(id);
            else moved.push(...ids);
          });
          const flushes: Promise<void>[] = [];
          let made = 0;
          const toRelease: string[] = [];
          for (const { kind, count } of steps) {
            if (kind === 'flush') flushes.push(folds.flush());
            for (let index = 0; index < count; index++) {
              const id = `id ${made++}`;
              if (kind === 'release') toRelease.push(id);
              if (kind === 'release') folds.release(id);
              else folds.add(id);
            }
            await Promise.resolve();
          }
          await Promise.all(flushes);
          while (script.length > 0) {
            script.length = 0;
            await folds.flush();
          }
          await folds.flush();
          expect(new Set(moved).size).toBe(made);
          expect(moved).toHaveLength(made);
          expect([...released].sort()).toEqual(toRelease.sort());
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps no more than its bound, of each kind: the sweep finds the others', async () => {
    const counts = { fold: 0, release: 0 };
    const folds = foldsWith(async ([name, ids]) => void (counts[name] += ids.length));
    for (const id of names(WAITING_MAX + 10)) {
      folds.add(id);
      folds.release(id);
    }
    await folds.flush();
    expect(counts).toEqual({ release: WAITING_MAX, fold: 2 * WAITING_MAX });
  });

  it('keeps to its bound through failures', async () => {
    let isAway = true;
    const counts = { fold: 0, release: 0 };
    const folds = foldsWith(async ([name, ids]) => {
      if (isAway) throw away();
      counts[name] += ids.length;
    });
    for (const id of names(WAITING_MAX)) folds.add(id);
    const flushed = folds.flush();
    for (const id of names(WAITING_MAX, 'later')) folds.add(id);
    await flushed;
    isAway = false;
    await folds.flush();
    expect(counts.fold).toBe(WAITING_MAX);
  });
});
