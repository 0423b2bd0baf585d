// A change and its entries are committed together; cached values are dropped after the commit, whatever its result, and
// never for an undone change; a change that collided with another is made again, as is one that must wait for its seal
// key. The store records the order of calls and fails at each of them in turn.
import type { DataSource, EntityManager } from 'typeorm';
import { Clock } from '../core/time.js';
import { operatorOf, type AuditLog } from '../audit/audit-log.js';
import { SealKeyNeeded } from '../audit/audit-seals.js';
import { ManagedChanges, withNestedChanges, type ManagedChange } from './managed-changes.js';

type Part = 'work' | 'entry' | 'last' | 'commit';

const NOW = Date.UTC(2030, 0, 31);
class FixedClock extends Clock {
  override now(): number {
    return NOW;
  }
}

class Bench {
  readonly order: string[] = [];
  readonly changes: ManagedChanges;

  /**
   * @param broken the part that fails
   * @param failures one error each time; if absent, always the same error
   */
  constructor(
    private readonly broken?: Part,
    private readonly failures?: Error[],
  ) {
    const transaction = async (level: string, work: (manager: EntityManager) => Promise<unknown>): Promise<unknown> => {
      this.order.push(`begin ${level}`);
      const result = await work({} as EntityManager);
      this.pass('commit');
      return result;
    };
    const record = async (
      _manager: unknown,
      { keyHash }: { keyHash: string },
      changes: readonly { action: string }[],
    ): Promise<void> => {
      for (const { action } of changes) this.pass('entry', `${keyHash}: ${action}`);
    };
    this.changes = new ManagedChanges(
      { transaction } as unknown as DataSource,
      { record, prepare: async () => void this.order.push('prepare') } as unknown as AuditLog,
      new FixedClock(),
    );
  }

  run(actions: readonly string[]): Promise<string> {
    return this.changes.run(operatorOf('account'), async (_, at) => {
      this.pass('work', at.toISOString());
      return {
        result: 'done',
        entries: actions.map((action) => ({ action, target: 'it' })),
        last: async () => this.pass('last'),
        forget: () => void this.order.push('forget'),
      };
    });
  }

  private pass(part: Part, words = ''): void {
    this.order.push(`${part} ${words}`.trim());
    if (part !== this.broken) return;
    const error = this.failures ? this.failures.shift() : new Error(`broken ${part}`);
    if (error) throw error;
  }
}

const BEGUN = ['begin READ COMMITTED', 'work 2030-01-31T00:00:00.000Z'];

describe('ManagedChanges', () => {
  it('works, records, runs the last statements, commits, and only then forgets', async () => {
    const bench = new Bench();
    expect(await bench.run(['thing.create', 'thing.update'])).toBe('done');
    expect(bench.order).toEqual([
      ...BEGUN,
      'entry operator: thing.create',
      'entry operator: thing.update',
      'last',
      'commit',
      'forget',
    ]);
  });

  it('forgets also where nothing changed, because another process may have changed it meanwhile', async () => {
    const bench = new Bench();
    await bench.run([]);
    expect(bench.order).toEqual([...BEGUN, 'last', 'commit', 'forget']);
  });

  it.each<[Part, string[]]>([
    ['work', []],
    ['entry', ['entry operator: thing.create']],
    ['last', ['entry operator: thing.create', 'last']],
  ])('forgets nothing where it breaks at its %s', async (part, then) => {
    const bench = new Bench(part);
    await expect(bench.run(['thing.create'])).rejects.toThrow(`broken ${part}`);
    expect(bench.order).toEqual([...BEGUN, ...then]);
  });

  it('forgets where the answer to the commit is lost, because it may have succeeded', async () => {
    const bench = new Bench('commit');
    await expect(bench.run(['thing.create'])).rejects.toThrow('broken commit');
    expect(bench.order.slice(-2)).toEqual(['commit', 'forget']);
  });

  const failed = (code: string): Error => Object.assign(new Error(code), { code });
  const WHOLE = [...BEGUN, 'entry operator: thing.create', 'last', 'commit', 'forget'];

  it.each<[Part, string]>([
    ['work', '40P01'],
    ['work', '40001'],
    ['last', '40P01'],
    ['commit', '40001'],
  ])('makes a change again whose %s fails for another (%s)', async (part, code) => {
    const bench = new Bench(part, [failed(code), failed(code)]);
    expect(await bench.run(['thing.create'])).toBe('done');
    expect(bench.order.filter((line) => line.startsWith('begin'))).toHaveLength(3);
    expect(bench.order.slice(-WHOLE.length)).toEqual(WHOLE);
  });

  it('loads the seal key outside of the transaction, and makes the change again', async () => {
    const bench = new Bench('entry', [new SealKeyNeeded()]);
    expect(await bench.run(['thing.create'])).toBe('done');
    expect(bench.order).toEqual([...BEGUN, 'entry operator: thing.create', 'prepare', ...WHOLE]);
  });

  it('makes a change three times at most, and only once where it fails for another reason', async () => {
    const unlucky = new Bench('work', [failed('40P01'), failed('40P01'), failed('40P01')]);
    await expect(unlucky.run([])).rejects.toThrow('40P01');
    expect(unlucky.order).toEqual([...BEGUN, ...BEGUN, ...BEGUN]);
    const refused = new Bench('work', [failed('23505')]);
    await expect(refused.run([])).rejects.toThrow('23505');
    expect(refused.order).toEqual(BEGUN);
  });
});

describe('withNestedChanges', () => {
  it('puts the entries of the included changes first, and runs and forgets all of them', async () => {
    const order: string[] = [];
    const change = (name: string): ManagedChange<string> => ({
      result: name,
      entries: [{ action: name, target: 'it' }],
      last: async () => void order.push(`last ${name}`),
      forget: () => void order.push(`forget ${name}`),
    });
    const whole = withNestedChanges(change('whole'), change('part'), { result: undefined, entries: [] });
    expect([whole.result, whole.entries.map(({ action }) => action)]).toEqual(['whole', ['part', 'whole']]);
    await whole.last?.();
    whole.forget?.();
    expect(order).toEqual(['last part', 'last whole', 'forget part', 'forget whole']);
  });
});
