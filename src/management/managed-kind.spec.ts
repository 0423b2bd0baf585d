// A change without effect writes and records nothing, whatever kinds of values the resource has; any other one is
// recorded as it was stored. Tables of values, and a counted write.
import { hasValues, ManagedKind } from './managed-kind.js';

interface Thing {
  readonly id: string;
  readonly amount: bigint | null;
  readonly at: Date | null;
  readonly list: readonly object[] | null;
}

const AT = Date.UTC(2030, 0, 31);
const THING: Thing = {
  id: 'it',
  amount: 123_456_789_012_345_000_000_000_001n,
  at: new Date(AT),
  list: [{ pattern: 'p', action: 'block' }],
};

describe('hasValues', () => {
  it.each<[string, Partial<Thing>, boolean]>([
    ['nothing', {}, true],
    ['an undefined value', { amount: undefined } as unknown as Partial<Thing>, true],
    ['the same amount', { amount: 123_456_789_012_345_000_000_000_001n }, true],
    ['an amount that is shown alike', { amount: 123_456_789_012_345_000_000_000_002n }, false],
    ['no amount', { amount: null }, false],
    ['the same time', { at: new Date(AT) }, true],
    ['another time', { at: new Date(AT + 1) }, false],
    ['another order of keys', { list: [{ action: 'block', pattern: 'p' }] }, true],
    ['another value inside', { list: [{ action: 'flag', pattern: 'p' }] }, false],
    ['another entry', { list: [...THING.list!, {}] }, false],
    ['the same beside another', { at: new Date(AT), amount: 1n }, false],
  ])('%s: %#', (_, values, expected) => {
    expect(hasValues(THING, values)).toBe(expected);
  });
});

describe('ManagedKind', () => {
  const kind = new ManagedKind<Thing>('thing', ({ id, amount }) => ({
    target: id,
    workspaceId: 'w',
    view: { id, amount: Number(amount) },
  }));
  const target = { target: 'it', workspaceId: 'w' };

  it('names the action on a resource, with its view', () => {
    const view = { id: 'it', amount: 5 };
    const thing = { ...THING, amount: 5n };
    expect(kind.created(thing)).toEqual({ action: 'thing.create', ...target, after: view });
    expect(kind.deleted(thing)).toEqual({ action: 'thing.delete', ...target, before: view });
    expect(kind.entry('assign', thing, { after: {} })).toEqual({ action: 'thing.assign', ...target, after: {} });
  });

  it('writes and records an update, from the old to the stored state', async () => {
    const stored = { ...THING, amount: 7n };
    const change = await kind.update({ ...THING, amount: 5n }, { amount: 6n }, () => Promise.resolve(stored), { a: 1 });
    const states = { before: { id: 'it', amount: 5 }, after: { id: 'it', amount: 7, a: 1 } };
    expect(change).toEqual({ result: stored, entries: [{ action: 'thing.update', ...target, ...states }] });
  });

  it('does neither where the values are the same', async () => {
    const write = jest.fn();
    expect(await kind.update(THING, { at: new Date(AT) }, write)).toEqual({ result: THING, entries: [] });
    expect(write).not.toHaveBeenCalled();
  });
});
