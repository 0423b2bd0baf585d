// A sealed value opens only for keys of its workspace and with its own address, up to the longest length that is
// sealed. The keys of the ring are in memory.
import type { Caller } from '../core/caller.js';
import type { DataKeys } from '../vault/data-keys.js';
import { SealRing } from '../vault/seal-ring.js';
import { ToolContexts } from './tool-contexts.js';

const SEAL_LENGTH_MAX = 1024 * 1024;
const absent = undefined as never;
const callerOf = (accountId: string, keyHash = 'k', workspaceId = 'w'): Caller => ({
  accountId,
  workspaceId,
  keyHash,
  kind: 'inference',
  userId: null,
});

async function contexts(): Promise<ToolContexts> {
  const id = '01900000-0000-7000-8000-000000000001';
  const stored = { id, purpose: 'tool-seal', number: 1, keyId: 'k', wrappedKey: Buffer.alloc(0) };
  const keys = { list: async () => [stored], unwrap: async () => Buffer.alloc(32, 1) } as unknown as DataKeys;
  const made = new ToolContexts(new SealRing(keys), absent, absent, absent, absent, absent, absent, absent);
  await made.ready();
  return made;
}

it('opens for every key of the workspace, for no other workspace and no other account', async () => {
  const made = await contexts();
  const sealed = made.seal(callerOf('one'), { text: 'found' });
  expect(made.opener(callerOf('one', 'another'))(sealed)).toEqual({ text: 'found' });
  expect(made.opener(callerOf('two'))(sealed)).toBe(undefined);
  expect(made.opener(callerOf('one', 'k', 'another'))(sealed)).toBe(undefined);
});

it('opens the text of a page only with its address', async () => {
  const made = await contexts();
  const caller = callerOf('one');
  const sealed = made.seal(caller, 'text', 'https://a.example/');
  expect(made.opener(caller)(sealed, 'https://a.example/')).toBe('text');
  expect(made.opener(caller)(sealed, 'https://b.example/')).toBe(undefined);
  expect(made.opener(caller)(sealed)).toBe(undefined);
});

it('opens the longest seal that is made, and reads no longer one', async () => {
  const made = await contexts();
  const caller = callerOf('one');
  const ofLength = (length: number): string => made.seal(caller, 'x'.repeat(length));
  // Three bytes are four characters.
  let length = Math.floor((SEAL_LENGTH_MAX * 3) / 4) - 64;
  while (ofLength(length + 1).length <= SEAL_LENGTH_MAX) length++;
  const longest = ofLength(length);
  expect(longest).toHaveLength(SEAL_LENGTH_MAX);
  expect(made.opener(caller)(longest)).toHaveLength(length);
  expect(made.opener(caller)(ofLength(length + 1))).toBe(undefined);
});
