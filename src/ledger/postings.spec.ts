/**
 * Every settled or released hold is posted once the database accepts it, failures lose none, and a flush waits for what
 * was added before. Statements are answered by the test, or fail by a random script; the test compares their ids.
 */
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { LedgerRepository } from './ledger.repository.js';
import { Postings } from './postings.js';

const BATCH_MAX = 1_000;
const WAITING_MAX = 50_000;

type Statement = readonly [name: 'post' | 'release', ids: readonly string[]];
type Act = (statement: Statement) => Promise<void>;

function postingsWith(act: Act): Postings {
  const ledger: Pick<LedgerRepository, 'post' | 'release'> = {
    post: (ids) => act(['post', [...ids]]),
    release: (ids) => act(['release', [...ids]]),
  };
  return new Postings(ledger as LedgerRepository);
}

/** Records every statement; the test answers each. */
function byHand(): { postings: Postings; statements: Statement[]; answers: (() => void)[] } {
  const statements: Statement[] = [];
  const answers: (() => void)[] = [];
  const postings = postingsWith((statement) => {
    statements.push(statement);
    return new Promise((resolve) => answers.push(resolve));
  });
  return { postings, statements, answers };
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

describe('Postings', () => {
  it('sends nothing to the database while nothing waits', async () => {
    const { postings, statements } = byHand();
    await postings.flush();
    expect(statements).toEqual([]);
  });

  it('settles released holds before it posts them', async () => {
    const { postings, statements, answers } = byHand();
    postings.add('settled');
    postings.release('released');
    const flushed = postings.flush();
    await turns();
    expect(statements).toEqual([['release', ['released']]]);
    answers[0]!();
    await turns();
    expect(statements[1]).toEqual(['post', ['settled', 'released']]);
    answers[1]!();
    await flushed;
    expect(statements).toHaveLength(2);
  });

  it('sends a limited number at a time', async () => {
    const statements: Statement[] = [];
    const postings = postingsWith(async (statement) => void statements.push(statement));
    for (const id of names(2 * BATCH_MAX + 1)) postings.add(id);
    for (const id of names(BATCH_MAX + 1, 'released')) postings.release(id);
    await postings.flush();
    expect(statements.map(([name, ids]) => [name, ids.length])).toEqual([
      ['release', BATCH_MAX],
      ['release', 1],
      ['post', BATCH_MAX],
      ['post', BATCH_MAX],
      ['post', BATCH_MAX],
      ['post', 2],
    ]);
  });

  it('joins a flush to the one under way, and waits again for what was added meanwhile', async () => {
    const { postings, statements, answers } = byHand();
    postings.add('first');
    const one = postings.flush();
    await turns();
    postings.add('second');
    let isOver = false;
    const others = Promise.all([postings.flush(), postings.flush()]).then(() => (isOver = true));
    await turns();
    // Never two at a time: they would wait for each other's rows.
    expect(statements).toEqual([['post', ['first']]]);
    answers[0]!();
    await one;
    await turns();
    expect(statements).toEqual([
      ['post', ['first']],
      ['post', ['second']],
    ]);
    expect(isOver).toBe(false);
    answers[1]!();
    await others;
    await postings.flush();
    expect(statements).toHaveLength(2);
  });

  it.each<[string, Statement[0], Error, number]>([
    ['is away when a hold is released', 'release', away(), 0],
    ['is away when counters are moved', 'post', away(), 0],
    ['refuses a release', 'release', new Error('refused'), 1],
    ['refuses to move counters', 'post', new Error('refused'), 1],
  ])('keeps every hold when the database %s, and logs only a refusal', async (_, name, error, logged) => {
    let isFailing = true;
    const moved: string[] = [];
    const released: string[] = [];
    const postings = postingsWith(async ([statement, ids]) => {
      if (isFailing && statement === name) throw error;
      (statement === 'post' ? moved : released).push(...ids);
    });
    for (const id of names(BATCH_MAX + 5, 'settled')) postings.add(id);
    for (const id of names(BATCH_MAX + 5, 'released')) postings.release(id);
    await postings.flush();
    expect(errors).toHaveLength(logged);
    isFailing = false;
    await postings.flush();
    const all = [...names(BATCH_MAX + 5, 'settled'), ...names(BATCH_MAX + 5, 'released')];
    expect([...moved].sort()).toEqual([...all].sort());
    expect(new Set(released)).toEqual(new Set(names(BATCH_MAX + 5, 'released')));
    await postings.flush();
    expect(moved).toHaveLength(all.length);
  });

  it('posts each hold in the end, whatever fails and whatever is added meanwhile', async () => {
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
          const postings = postingsWith(async ([name, ids]) => {
            await Promise.resolve();
            if (script.shift()) throw away();
            if (name === 'release') for (const id of ids) released.add(id);
            else moved.push(...ids);
          });
          const flushes: Promise<void>[] = [];
          let made = 0;
          const toRelease: string[] = [];
          for (const { kind, count } of steps) {
            if (kind === 'flush') flushes.push(postings.flush());
            for (let index = 0; index < count; index++) {
              const id = `id ${made++}`;
              if (kind === 'release') toRelease.push(id);
              if (kind === 'release') postings.release(id);
              else postings.add(id);
            }
            await Promise.resolve();
          }
          await Promise.all(flushes);
          while (script.length > 0) {
            script.length = 0;
            await postings.flush();
          }
          await postings.flush();
          expect(new Set(moved).size).toBe(made);
          expect(moved).toHaveLength(made);
          expect([...released].sort()).toEqual(toRelease.sort());
        },
      ),
      { numRuns: 60 },
    );
  });

  it('stores no more than its bound, of each kind: the sweep finds the others', async () => {
    const counts = { post: 0, release: 0 };
    const postings = postingsWith(async ([name, ids]) => void (counts[name] += ids.length));
    for (const id of names(WAITING_MAX + 10)) {
      postings.add(id);
      postings.release(id);
    }
    await postings.flush();
    expect(counts).toEqual({ release: WAITING_MAX, post: 2 * WAITING_MAX });
  });

  it('keeps to its bound through failures', async () => {
    let isAway = true;
    const counts = { post: 0, release: 0 };
    const postings = postingsWith(async ([name, ids]) => {
      if (isAway) throw away();
      counts[name] += ids.length;
    });
    for (const id of names(WAITING_MAX)) postings.add(id);
    const flushed = postings.flush();
    for (const id of names(WAITING_MAX, 'later')) postings.add(id);
    await flushed;
    isAway = false;
    await postings.flush();
    expect(counts.post).toBe(WAITING_MAX);
  });
});
