// Sealed bytes open unchanged, in their own context, and any other text yields nothing. A ring over keys in memory;
// texts that were cut, changed and invented.
import { createHash, createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import type { DataKeys, StoredDataKey } from './data-keys.js';
import { SealRing } from './seal-ring.js';

const ID = '01900000-0000-7000-8000-000000000001';
const STORED: StoredDataKey = { id: ID, purpose: 'tool-seal', number: 1, keyId: 'k', wrappedKey: Buffer.alloc(0) };

/** A ring of keys that any process may list. */
async function ringOf(stored: readonly StoredDataKey[] = [STORED]): Promise<SealRing> {
  const keys: Pick<DataKeys, 'list' | 'unwrap'> = {
    list: () => Promise.resolve([...stored]),
    unwrap: ({ id }) => Promise.resolve(Buffer.alloc(32, `${id.slice(-8)} canary`)),
  };
  const ring = new SealRing(keys as DataKeys);
  await ring.ready();
  return ring;
}

it('prints what only it opens, differently each time', async () => {
  const ring = await ringOf();
  for (const plain of ['', 'a', 'ü'.repeat(70_000)].map((text) => Buffer.from(text))) {
    const sealed = ring.seal(plain, 'here');
    expect(sealed).toMatch(/^fl1\.[\da-f-]{36}\.[\w-]+$/);
    expect(sealed).not.toBe(ring.seal(plain, 'here'));
    expect(ring.open(sealed, 'here')).toEqual(plain);
    expect(sealed.length).toBeLessThanOrEqual(79 + Math.ceil((plain.length * 4) / 3));
  }
});

it('opens nothing in another context', async () => {
  const ring = await ringOf();
  for (const context of ['', 'there', 'here ']) expect(ring.open(ring.seal(Buffer.from('a'), 'here'), context)).toBe(undefined); // oxfmt-ignore
});

it('opens nothing that was changed, at any position', async () => {
  const ring = await ringOf();
  const sealed = ring.seal(Buffer.from('something'), 'here');
  for (let at = 0; at < sealed.length; at++) {
    const [before, character, after] = [sealed.slice(0, at), sealed[at]!, sealed.slice(at + 1)];
    for (const other of ['', '!', `${character}=`, character === 'B' ? 'A' : 'B', `${character}\n`])
      expect(ring.open(`${before}${other}${after}`, 'here')).toBe(undefined);
  }
});

it.each(['', 'fl1.', `fl1.${ID}`, `fl1.${ID}.`, `fl1.${ID}.AAAA`, `fl2.${ID}.AAAA`, 'EqQBCkYI', 'fl1.'.repeat(1_000)])(
  'knows %.50j as none of its own',
  async (text) => expect((await ringOf()).open(text, 'here')).toBe(undefined),
);

it('opens what an older key sealed once that is prepared, without further calls to the store', async () => {
  const newer = { ...STORED, id: ID.replace(/1$/, '2'), number: 2 };
  const sealed = (await ringOf()).seal(Buffer.from('a'), 'here');
  const stored = [newer, STORED];
  const ring = await ringOf(stored);
  expect(ring.open(sealed, 'here')).toBe(undefined);
  await ring.prepareToOpen([sealed, 'none of ours']);
  expect(ring.open(sealed, 'here')?.toString()).toBe('a');
  stored.length = 0;
  await ring.prepareToOpen([sealed]);
  expect(ring.open(sealed, 'here')?.toString()).toBe('a');
});

it('seals bytes as bytes', async () => {
  const ring = await ringOf();
  const sealed = ring.sealBytes(Buffer.from('a'), 'here');
  expect(sealed).toMatchObject({ keyId: ID });
  expect(ring.openBytes(sealed, 'here')?.toString()).toBe('a');
  expect(ring.openBytes(sealed, 'there')).toBe(undefined);
  expect(ring.openBytes({ ...sealed, keyId: 'gone' }, 'here')).toBe(undefined);
});

it('prints nothing of its keys', async () => {
  expect(inspect(await ringOf(), { depth: 10, showHidden: true })).not.toMatch(/63 61 6e 61 72 79|canary/);
});

it('hashes a text the same way under one key, and recognises it under each key that opens', async () => {
  const [one, same] = [await ringOf(), await ringOf()];
  const other = await ringOf([{ ...STORED, id: ID.replace(/1$/, '2') }]);
  const hash = one.keyedHash('a body');
  expect(hash).toMatch(new RegExp(`^${ID}:[\\da-f]{64}$`));
  expect(same.keyedHash('a body')).toBe(hash);
  expect(one.keyedHash('another body')).not.toBe(hash);
  const foreign = other.keyedHash('a body');
  expect(foreign.split(':')[1]).not.toBe(hash.split(':')[1]);
  const OTHER = { ...STORED, id: ID.replace(/1$/, '2') };
  const both = await ringOf([OTHER, STORED]);
  expect(both.keyedHash('a body')).toBe(foreign);
  const seen = [hash, foreign, one.keyedHash('b')].map((made) => both.isHashOf('a body', made));
  expect(await Promise.all(seen)).toEqual([true, true, false]);
  // A key that is not there, and a text that is no hash.
  expect(await Promise.all([foreign, 'x'].map((made) => one.isHashOf('a body', made)))).toEqual([undefined, undefined]);
});

it('hashes by neither the key that seals nor a plain digest', async () => {
  const hash = (await ringOf()).keyedHash('a body').split(':')[1];
  const key = Buffer.alloc(32, `${ID.slice(-8)} canary`);
  expect(hash).not.toBe(createHash('sha256').update('a body').digest('hex'));
  expect(hash).not.toBe(createHmac('sha256', key).update('a body').digest('hex'));
});
