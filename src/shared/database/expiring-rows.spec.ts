import { SystemClock } from '../../core/time.js';
import { ExpiringRows, type ExpiringTable } from './expiring-rows.js';
import type { Statements } from './statements.js';

describe('rows that expire', () => {
  const failing = new Set<string>();
  const ran: string[] = [];
  /** Owners with one row too many, which the next statement finds. */
  const past = new Map<string, string>();
  const statements = {
    async run(text: string, [owner]: readonly unknown[] = []) {
      const [, table] = /FROM (\w+)/.exec(text)!;
      ran.push(`${text.trim().slice(0, 6)} ${table}${text.startsWith('SELECT') ? ` ${String(owner)}` : ''}`);
      if (failing.has(table!)) throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
      const id = text.startsWith('SELECT') ? past.get(String(owner)) : undefined;
      past.delete(String(owner));
      return id === undefined ? [] : [{ id }];
    },
  } as unknown as Statements;
  const table = (name: string, more: Partial<ExpiringTable> = {}): ExpiringTable => ({
    name,
    owner: ['owner'],
    time: 'at',
    bounds: [{ newest: 2 }],
    ...more,
  });
  let rows: ExpiringRows;
  beforeEach(() => {
    failing.clear();
    past.clear();
    ran.length = 0;
    rows = new ExpiringRows(statements, new SystemClock());
  });

  it('checks the limits of owners that have got rows, once', async () => {
    const one = table('one');
    rows.register(one);
    await rows.clearOnce();
    expect(ran).toEqual(['DELETE one']);
    rows.noteAdded(one, ['a']);
    rows.noteAdded(one, ['a']);
    past.set('a', 'id');
    await rows.clearOnce();
    await rows.clearOnce();
    expect(ran).toEqual(['DELETE one', 'DELETE one', 'SELECT one a', 'DELETE one', 'DELETE one']);
  });

  it('clears a table although another one fails, and checks its owners again', async () => {
    const [broken, sound] = [table('broken'), table('sound')];
    rows.register(broken);
    rows.register(sound);
    rows.noteAdded(broken, ['a']);
    failing.add('broken');
    await rows.clearOnce();
    expect(ran).toEqual(['DELETE broken', 'DELETE sound']);
    failing.clear();
    await rows.clearOnce();
    expect(ran.slice(2)).toEqual(['DELETE broken', 'SELECT broken a', 'DELETE sound']);
  });

  it('ages rows until nothing is left to age, and lets a table keep what is past its limit', async () => {
    let old = 3;
    const dropped: string[] = [];
    const aged = table('aged', {
      age: async () => old-- > 1,
      bounds: [{ newest: 2, drop: async (ids) => void dropped.push(...ids) }],
    });
    rows.register(aged);
    rows.noteAdded(aged, ['a']);
    past.set('a', 'id');
    await rows.clearOnce();
    expect([old, dropped, ran]).toEqual([0, ['id'], ['DELETE aged', 'SELECT aged a']]);
  });

  it('begins nothing more when the process ends', async () => {
    rows.register(table('one'));
    await rows.beforeApplicationShutdown();
    await rows.clearOnce();
    expect(ran).toEqual([]);
  });
});
