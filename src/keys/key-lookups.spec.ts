// A flood of distinct keys costs few statements, a dead store fails all waiting look-ups at once, and none waits for
// ever. Statements are answered by the test; jest's timers move the time.
import { Logger } from '@nestjs/common';
import { GatewayError } from '../core/errors.js';
import type { ActiveKey } from './active-key.js';
import { KeyLookups } from './key-lookups.js';
import type { KeysRepository } from './keys.repository.js';

const activeKey = (keyHash: string): ActiveKey => ({
  caller: { accountId: 'account', workspaceId: 'workspace', keyHash, kind: 'inference', userId: null },
  expiresAtMs: null,
});

beforeAll(() => Logger.overrideLogger(false));

interface Statement {
  readonly hashes: readonly string[];
  readonly answer: (keys: ActiveKey[]) => void;
  readonly fail: (error: Error) => void;
}

function lookupsByHand(): { lookups: KeyLookups; statements: Statement[] } {
  const statements: Statement[] = [];
  const repository: Pick<KeysRepository, 'listActive'> = {
    listActive: (hashes) =>
      new Promise((resolve, reject) => statements.push({ hashes, answer: resolve, fail: reject })),
  };
  return { lookups: new KeyLookups(repository as KeysRepository), statements };
}

/** Runs everything that waits for nothing else. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

describe('KeyLookups', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('answers each hash with its own key or null', async () => {
    const { lookups, statements } = lookupsByHand();
    const found = lookups.find('a');
    const missing = lookups.find('b');
    statements[0]!.answer([activeKey('a')]);
    statements[1]!.answer([]);
    expect(await found).toEqual(activeKey('a'));
    expect(await missing).toBeNull();
  });

  it('queries at once while the store is free, then gathers what arrives', async () => {
    const { lookups, statements } = lookupsByHand();
    const finds = Array.from({ length: 702 }, (_, index) => lookups.find(`hash ${index}`));
    expect(statements.map(({ hashes }) => hashes.length)).toEqual([1, 1]);
    statements[0]!.answer([]);
    statements[1]!.answer([]);
    await settle();
    expect(statements.map(({ hashes }) => hashes.length)).toEqual([1, 1, 500, 200]);
    statements[2]!.answer([]);
    statements[3]!.answer([activeKey('hash 701')]);
    const answers = await Promise.all(finds);
    expect(answers.filter((key) => key !== null)).toEqual([activeKey('hash 701')]);
  });

  it('refuses look-ups past the bound of waiting ones', async () => {
    const { lookups, statements } = lookupsByHand();
    const finds = Array.from({ length: 2_002 }, (_, index) => lookups.find(`hash ${index}`));
    await expect(lookups.find('one more')).rejects.toMatchObject({ kind: 'service-unavailable' });
    for (let index = 0; index < 6; index++) {
      statements[index]!.answer([]);
      await settle();
    }
    expect(await Promise.all(finds)).toHaveLength(2_002);
  });

  it('fails all waiting look-ups when the database does not answer, and queries again for the next', async () => {
    const { lookups, statements } = lookupsByHand();
    const finds = Promise.allSettled(['a', 'b', 'c'].map((hash) => lookups.find(hash)));
    statements[0]!.fail(new Error('connect ECONNREFUSED 10.0.0.1:5432'));
    await settle();
    statements[1]!.answer([activeKey('b')]);
    const [first, second, third] = await finds;
    expect(second).toMatchObject({ status: 'fulfilled', value: activeKey('b') });
    for (const refused of [first, third]) {
      const error = (refused as PromiseRejectedResult).reason as GatewayError;
      expect(error).toMatchObject({ kind: 'service-unavailable', detail: { retryAfterMs: 1_000 } });
      expect(error.message).not.toContain('10.0.0.1');
    }
    const next = lookups.find('a');
    statements[2]!.answer([activeKey('a')]);
    expect(await next).toEqual(activeKey('a'));
  });

  it('gives up on a store that does not answer', async () => {
    const { lookups } = lookupsByHand();
    const refused = expect(lookups.find('a')).rejects.toMatchObject({ kind: 'service-unavailable' });
    await jest.advanceTimersByTimeAsync(2_000);
    await refused;
  });
});
