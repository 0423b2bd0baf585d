// No two locks of the schema share a number, and none outlives its transaction. The list itself; every source file,
// read as text, for locks that bypass it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ADVISORY_LOCKS, tryLock, waitForLock, waitForSharedLock } from './advisory-locks.js';

const SOURCES = join(__dirname, '..', '..');
const NUMBERS: readonly number[] = Object.values(ADVISORY_LOCKS);

const files = readdirSync(SOURCES, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && /\.(ts|sql)$/.test(entry.name) && !entry.name.endsWith('.spec.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => ({ path: relative(SOURCES, path).split('\\').join('/'), text: readFileSync(path, 'utf8') }));

describe('advisory locks', () => {
  it('have unique numbers', () => {
    expect(new Set(NUMBERS).size).toBe(NUMBERS.length);
  });

  it('are held by transactions only', () => {
    const calls = files.flatMap(({ path, text }) =>
      [...text.matchAll(/pg_(?:try_)?advisory_\w+/g)].map(([call]) => ({ path, call })),
    );
    expect(calls.length).toBeGreaterThan(3);
    expect(calls.filter(({ call }) => !/^pg_(try_)?advisory_xact_lock(_shared)?$/.test(call))).toEqual([]);
  });

  it('are taken from the list; a statement in the database names its number, which is in the list', () => {
    const literals = files.flatMap(({ path, text }) =>
      [...text.matchAll(/advisory_xact_lock(?:_shared)?\(\s*([\d_]+)/g)].map(([, number]) => ({
        path,
        number: Number(number),
      })),
    );
    expect(literals.filter(({ number }) => !NUMBERS.includes(number))).toEqual([]);
    const others = files.filter(
      ({ path, text }) => path !== 'shared/database/advisory-locks.ts' && /\b4_?721_?0\d\d\b|7_236_451_902/.test(text),
    );
    expect(others.filter(({ path }) => !/migrations\/|\.sql$/.test(path)).map(({ path }) => path)).toEqual([]);
  });

  it('are for everything or for one object', async () => {
    const statements: unknown[] = [];
    const transaction = {
      query: async (...statement: unknown[]) => {
        statements.push(statement);
        return [{ taken: true }];
      },
    };
    await waitForLock(transaction as never, 'opening');
    await waitForLock(transaction as never, 'guardrails', 'an-account');
    await waitForSharedLock(transaction as never, 'monthEnd');
    expect(await tryLock(transaction as never, 'auditRetention')).toBe(true);
    expect(statements).toEqual([
      ['SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.opening]],
      ['SELECT pg_advisory_xact_lock($1, hashtext($2))', [ADVISORY_LOCKS.guardrails, 'an-account']],
      ['SELECT pg_advisory_xact_lock_shared($1)', [ADVISORY_LOCKS.monthEnd]],
      ['SELECT pg_try_advisory_xact_lock($1) AS taken', [ADVISORY_LOCKS.auditRetention]],
    ]);
  });
});
