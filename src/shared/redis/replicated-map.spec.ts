// Maps converge in any order of each other's writes, alone or after an outage, in bounded memory. Maps joined by a
// store and a channel in this process that can be cut, and a clock moved by hand.
import fc from 'fast-check';
import { Clock } from '../../core/time.js';
import { laterDeadline, laterWrite, type MergeRule } from './replicated-map-entry.js';
import { NoReplicas, ReplicaLink, type LinkedMap } from './replicated-map-link.js';
import { ReplicatedMap } from './replicated-map.js';

class ManualClock extends Clock {
  constructor(public time = 1_000_000) {
    super();
  }
  override now(): number {
    return this.time;
  }
}

/** Redis as seen by one link: messages wait until they are delivered, and nothing passes while the link is cut. */
class Store {
  readonly texts = new Map<string, string>();
  readonly links: StoreLink[] = [];

  async carry(): Promise<void> {
    // Writes are confirmed in the next turn.
    await new Promise(setImmediate);
    for (const link of this.links) link.carry();
    await new Promise(setImmediate);
  }
}

class StoreLink extends ReplicaLink {
  private isCut = false;
  private readonly waiting: (readonly [string, string])[] = [];
  private map: LinkedMap | undefined;
  writes = 0;

  constructor(private readonly store: Store) {
    super();
    store.links.push(this);
  }

  override join(map: LinkedMap): void {
    this.map = map;
  }

  override async write(_name: string, key: string, text: string, ttlMs: number): Promise<boolean> {
    if (this.isCut) return false;
    expect(ttlMs).toBeGreaterThanOrEqual(1);
    this.writes++;
    this.store.texts.set(key, text);
    for (const link of this.store.links) link.take(key, text);
    return true;
  }

  cut(): void {
    this.isCut = true;
    this.waiting.length = 0;
  }

  mend(): void {
    this.isCut = false;
    this.map!.load(this.store.texts);
  }

  carry(): void {
    for (const [key, text] of this.waiting.splice(0)) this.map!.receive(key, text);
    this.map!.resend();
  }

  private take(key: string, text: string): void {
    if (!this.isCut) this.waiting.push([key, text]);
  }
}

const ENTRIES_MAX = 4;
const LIFE_MS_MAX = 100_000;

interface Replica {
  readonly map: ReplicatedMap<string>;
  readonly link: StoreLink;
  readonly clock: ManualClock;
  readonly received: (readonly [string, string | undefined])[];
}

function replicaOf(store: Store, merge: MergeRule = laterDeadline, clock = new ManualClock()): Replica {
  const received: (readonly [string, string | undefined])[] = [];
  const link = new StoreLink(store);
  const map = new ReplicatedMap<string>(
    {
      name: 'test',
      entriesMax: ENTRIES_MAX,
      lifeMsMax: LIFE_MS_MAX,
      merge,
      read: (value) => (typeof value === 'string' ? value : undefined),
      onRemoteChange: (key, value) => received.push([key, value]),
    },
    link,
    clock,
  );
  return { map, link, clock, received };
}

describe('ReplicatedMap', () => {
  let store: Store;
  let here: Replica;
  let there: Replica;
  beforeEach(() => {
    store = new Store();
    here = replicaOf(store);
    there = replicaOf(store);
  });
  const soon = (ms: number): number => here.clock.time + ms;

  describe('in one process', () => {
    it('has a value at once, until it expires', () => {
      here.map.set('a', 'one', soon(100));
      expect(here.map.get('a')).toBe('one');
      here.clock.time += 99;
      expect(here.map.get('a')).toBe('one');
      here.clock.time += 1;
      expect(here.map.get('a')).toBeUndefined();
    });

    it('withdraws a value at once, and takes a new one', () => {
      here.map.set('a', 'one', soon(100));
      here.map.delete('a');
      expect(here.map.get('a')).toBeUndefined();
      here.map.set('a', 'two', soon(50));
      expect(here.map.get('a')).toBe('two');
    });

    it('applies the rule to its own writes', () => {
      here.map.set('a', 'later', soon(100));
      here.map.set('a', 'sooner', soon(50));
      expect(here.map.get('a')).toBe('later');
      const last = replicaOf(store, laterWrite);
      last.map.set('a', 'first', soon(100));
      last.map.set('a', 'second', soon(50));
      expect(last.map.get('a')).toBe('second');
    });

    it('keeps nothing longer than the longest life', () => {
      here.map.set('a', 'one', Infinity);
      here.clock.time += LIFE_MS_MAX - 1;
      expect(here.map.get('a')).toBe('one');
      here.clock.time += 1;
      expect(here.map.get('a')).toBeUndefined();
    });

    it('drops the entry with the oldest write', () => {
      for (let key = 0; key < ENTRIES_MAX; key++) here.map.set(String(key), 'one', soon(1_000));
      here.map.set('0', 'again', soon(2_000));
      here.map.set('new', 'one', soon(1_000));
      expect(here.map.size).toBe(ENTRIES_MAX);
      expect([here.map.get('0'), here.map.get('1'), here.map.get('new')]).toEqual(['again', undefined, 'one']);
    });

    it('sweeps expired entries', () => {
      here.map.set('a', 'one', soon(100));
      here.map.set('b', 'one', soon(100));
      here.map.delete('b');
      here.clock.time += 10_000;
      here.map.set('c', 'one', soon(100));
      expect(here.map.size).toBe(1);
    });

    it('is a plain map where there are no replicas', async () => {
      const clock = new ManualClock();
      const options = { name: 'test', entriesMax: 1, lifeMsMax: 100, merge: laterWrite, read: () => undefined };
      const map = new ReplicatedMap<number>(options, new NoReplicas(), clock);
      map.set('a', 1, clock.time + 10);
      await new Promise(setImmediate);
      expect(map.get('a')).toBe(1);
    });
  });

  describe('between replicas', () => {
    it('sends a write and its withdrawal to the others, and not to itself', async () => {
      here.map.set('a', 'one', soon(100));
      await store.carry();
      expect([there.map.get('a'), there.received]).toEqual(['one', [['a', 'one']]]);
      there.map.delete('a');
      await store.carry();
      expect([here.map.get('a'), here.received]).toEqual([undefined, [['a', undefined]]]);
      expect(there.received).toHaveLength(1);
    });

    it('keeps the later deadline, in any order of writing', async () => {
      here.map.set('a', 'later', soon(100));
      there.map.set('a', 'sooner', soon(50));
      await store.carry();
      expect([here.map.get('a'), there.map.get('a')]).toEqual(['later', 'later']);
      await store.carry();
      // The losing value had replaced the winning one in the store.
      expect(store.texts.get('a')).toContain('later');
    });

    it('keeps a new value after the withdrawal of one that would have lasted longer', async () => {
      here.map.set('a', 'one', soon(100));
      await store.carry();
      there.map.delete('a');
      there.map.set('a', 'two', soon(50));
      await store.carry();
      expect([here.map.get('a'), there.map.get('a')]).toEqual(['two', 'two']);
    });

    it('recognises a later write by what its writer knew, though its clock is slow', async () => {
      const [fast, slow] = [replicaOf(store, laterWrite), replicaOf(store, laterWrite)];
      slow.clock.time -= 5_000;
      fast.map.set('a', 'one', soon(50_000));
      await store.carry();
      slow.map.set('a', 'two', soon(50_000));
      await store.carry();
      expect([fast.map.get('a'), slow.map.get('a')]).toEqual(['two', 'two']);
    });

    it('gives a new replica the entries of the others', async () => {
      here.map.set('a', 'one', soon(100));
      here.map.set('b', 'one', soon(100));
      here.map.delete('b');
      await store.carry();
      const added = replicaOf(store);
      added.link.mend();
      expect([added.map.get('a'), added.map.get('b'), added.received]).toEqual(['one', undefined, [['a', 'one']]]);
    });

    it.each([
      ['no JSON', 'nonsense'],
      ['no object', '[1]'],
      ['a value that the map cannot read', JSON.stringify({ value: 7, writtenAt: 1, expiresAt: 1_000_100 })],
      ['no time of writing', JSON.stringify({ value: 'x', expiresAt: 1_000_100 })],
      ['a time that is no number', JSON.stringify({ value: 'x', writtenAt: '1', expiresAt: 1_000_100 })],
      ['an end past the longest life', JSON.stringify({ value: 'x', writtenAt: 1, expiresAt: 9_000_000 })],
      ['an end without end', '{"value":"x","writtenAt":1,"expiresAt":1e999}'],
      ['a time of writing far ahead', JSON.stringify({ value: 'x', writtenAt: 9_000_000, expiresAt: 1_000_100 })],
      ['an end that is past', JSON.stringify({ value: 'x', writtenAt: 1, expiresAt: 999_999 })],
      ['too much text', JSON.stringify({ value: 'x'.repeat(5_000), writtenAt: 1, expiresAt: 1_000_100 })],
    ])('ignores %s', (_, text) => {
      here.map.receive('a', text);
      here.map.receive('b', JSON.stringify({ value: 'x', writtenAt: 1, expiresAt: 1_000_100 }));
      expect([here.map.get('a'), here.map.get('b'), here.received]).toEqual([undefined, 'x', [['b', 'x']]]);
    });

    it('ignores a key that is too long', () => {
      here.map.receive('k'.repeat(2_000), JSON.stringify({ value: 'x', writtenAt: 1, expiresAt: 1_000_100 }));
      expect(here.map.size).toBe(0);
    });

    it('does not share an entry that is too large', async () => {
      here.map.set('a', 'x'.repeat(5_000), soon(100));
      await store.carry();
      expect([here.map.get('a')?.length, there.map.get('a'), here.link.writes]).toEqual([5_000, undefined, 0]);
    });
  });

  describe('through an outage', () => {
    it('continues alone, and sends its writes and withdrawals later', async () => {
      here.map.set('a', 'one', soon(100));
      await store.carry();
      here.link.cut();
      here.map.delete('a');
      here.map.set('b', 'two', soon(100));
      expect([here.map.get('a'), here.map.get('b')]).toEqual([undefined, 'two']);
      await store.carry();
      expect([there.map.get('a'), there.map.get('b')]).toEqual(['one', undefined]);
      here.link.mend();
      await store.carry();
      expect([there.map.get('a'), there.map.get('b')]).toEqual([undefined, 'two']);
      expect([here.map.get('a'), here.received]).toEqual([undefined, []]);
    });

    it('receives the writes and withdrawals of the others later', async () => {
      here.map.set('a', 'one', soon(100));
      await store.carry();
      there.link.cut();
      here.map.delete('a');
      here.map.set('b', 'two', soon(100));
      await store.carry();
      there.link.mend();
      expect([there.map.get('a'), there.map.get('b')]).toEqual([undefined, 'two']);
    });

    it('writes its own entries again to a store that has lost them, and forgets none', async () => {
      here.map.set('a', 'one', soon(100));
      await store.carry();
      for (const { link } of [here, there]) link.cut();
      store.texts.clear();
      for (const { link } of [here, there]) link.mend();
      await store.carry();
      expect([here.map.get('a'), there.map.get('a'), store.texts.has('a')]).toEqual(['one', 'one', true]);
      // Once by its writer; replicas that only received it write nothing.
      expect([here.link.writes, there.link.writes]).toEqual([2, 0]);
    });

    it('does not repeat confirmed writes', async () => {
      here.map.set('a', 'one', soon(100));
      for (let beat = 0; beat < 3; beat++) await store.carry();
      expect(here.link.writes).toBe(1);
    });

    it('does not send entries later that have expired by then', async () => {
      here.link.cut();
      here.map.set('a', 'one', soon(100));
      here.clock.time += 100;
      here.link.mend();
      await store.carry();
      expect(here.link.writes).toBe(0);
    });
  });

  it.each([
    ['later deadline', laterDeadline],
    ['later write', laterWrite],
  ])('converges by the %s rule, for any writes of two replicas and any cuts', async (_, merge) => {
    const step = fc.record({
      by: fc.nat(1),
      action: fc.constantFrom('set', 'cut', 'mend', 'carry'),
      key: fc.constantFrom('a', 'b'),
      value: fc.constantFrom('x', 'y', 'z'),
      lifeMs: fc.integer({ min: 50_000, max: 60_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const common = new Store();
        const replicas = [replicaOf(common, merge), replicaOf(common, merge)];
        for (const { by, action, key, value, lifeMs } of steps) {
          const { map, link, clock } = replicas[by]!;
          clock.time += by;
          if (action === 'set') map.set(key, value, clock.time + lifeMs);
          else if (action === 'carry') link.carry();
          else link[action]();
        }
        for (const { link } of replicas) link.mend();
        for (let round = 0; round < 3; round++) await common.carry();
        const [first, second] = replicas.map(({ map }) => [map.get('a'), map.get('b')]);
        expect(first).toEqual(second);
      }),
      { numRuns: 60 },
    );
  });
});
