/**
 * Notes beside the embedded database neither delay nor fail a reply, whatever the disk does, and the notes of an
 * earlier process reach the database before they are deleted. Uses real files and a double of the statements.
 */
import { appendFile, mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import type { Environment } from '../shared/environment.js';
import { NOTHING_OBSERVED } from './generations/generation-row.js';
import type { Hold } from './hold.js';
import { EmbeddedNotes } from './embedded-notes.js';
import type { LedgerRepository } from './ledger.repository.js';
import { NoteFiles, type Note } from './note-files.js';
import type { Settlement } from './settlement.js';

const ROW = { ...NOTHING_OBSERVED, id: 'gen-1-a', settled_at: '2026-01-01T00:00:00.000Z' } as unknown as Settlement;
const HELD: Hold = {
  id: 'gen-1-a',
  request: {
    id: 'gen-1-a',
    caller: { accountId: 'an account', workspaceId: 'a workspace', keyHash: 'a hash' } as Caller,
    guardrails: [],
    model: 'test/one',
    bound: { credits: 0n, byok: 0n },
    isFree: false,
  },
  heldAt: '2026-01-01T00:00:00.000Z',
  counters: { keyInterval: 'lifetime', budgets: null },
  bound: { credits: 1_500_000_000_000n, byok: 0n },
  observe: undefined,
  openHandle: 0,
};
const holdOf = (observe: Hold['observe']): Hold => ({ ...HELD, observe });
/** As the database lost it: without replica, with the bound that its process knew. */
const NOTE = {
  hold: {
    generation_id: 'gen-1-a',
    held_at: '2026-01-01T00:00:00.000Z',
    replica: null,
    account_id: 'an account',
    workspace_id: 'a workspace',
    key_hash: 'a hash',
    key_interval: 'lifetime',
    budgets: null,
    bound: '1.5',
    byok_bound: '0',
    model: 'test/one',
    deadline_at: '2026-01-01T00:00:00.000Z',
  },
  row: ROW,
};

let dataDir: string;
let notes: EmbeddedNotes;
let restored: Note[];
let refuses: boolean;
const open = (): EmbeddedNotes => {
  const restoreNotes = (found: readonly Note[]): Promise<void> => {
    if (refuses) return Promise.reject(new Error('The database refuses.'));
    restored.push(...found);
    return Promise.resolve();
  };
  return new EmbeddedNotes({ restoreNotes } as LedgerRepository, { dataDir } as Environment);
};
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'fairlead-kept-'));
  restored = [];
  refuses = false;
  notes = open();
  await notes.restore();
});
afterEach(async () => {
  jest.restoreAllMocks();
  notes.onApplicationShutdown();
  await rm(dataDir, { recursive: true });
});

it('brings the notes of an earlier process into the database once, and not before it accepts them', async () => {
  await notes.note(holdOf(() => ROW));
  refuses = true;
  await expect(open().restore()).rejects.toThrow('refuses');
  refuses = false;
  const later = open();
  await later.restore();
  expect(restored).toEqual([NOTE]);
  const last = open();
  await last.restore();
  expect(restored).toEqual([NOTE]);
  later.onApplicationShutdown();
  last.onApplicationShutdown();
});

it('restores the others beside refused or damaged notes, and keeps those without logging their content', async () => {
  const logged: unknown[][] = [];
  for (const level of ['warn', 'error'] as const)
    jest.spyOn(Logger.prototype, level).mockImplementation((...words) => void logged.push(words));
  for (const id of ['good', 'bad', 'other']) await notes.note({ ...holdOf(() => ({ ...ROW, id })), id: 'gen-1-a' });
  const restoreNotes = async (found: readonly Note[]): Promise<void> => {
    if (found.some(({ row }) => row.id === 'bad')) throw Object.assign(new Error('no number'), { code: '22P02' });
    restored.push(...found);
  };
  const folder = join(dataDir, 'notes');
  await appendFile(join(folder, '1.rows'), 'no longer what it was\n');
  const later = new EmbeddedNotes({ restoreNotes } as LedgerRepository, { dataDir } as Environment);
  await later.restore();
  later.onApplicationShutdown();
  expect(restored.map(({ row }) => row.id)).toEqual(['good', 'other']);
  const [name, ...others] = (await readdir(folder)).filter((file) => !file.endsWith('.rows'));
  expect([name, others]).toEqual([expect.stringMatching(/^[\w-]{36}\.damaged$/), []]);
  const [damaged, refused] = (await readFile(join(folder, name!), 'utf8')).split('\n');
  expect(damaged).toBe('no longer what it was');
  expect(JSON.parse(refused!)).toMatchObject({ row: { ...NOTE, row: { ...ROW, id: 'bad' } } });
  expect((await stat(join(folder, name!))).mode & 0o777).toBe(0o600);
  expect(logged).toEqual([
    ['2 notes of calls that were cut off are damaged or not taken, and were set aside in ' + `notes/${name}.`],
  ]);
  // Once: what was set aside is not read again.
  const last = new EmbeddedNotes({ restoreNotes } as LedgerRepository, { dataDir } as Environment);
  await last.restore();
  last.onApplicationShutdown();
  expect([await readdir(folder), logged.length]).toEqual([['0.rows', '1.rows', name].toSorted(), 1]);
});

it('writes nothing while nothing was observed, and drops what a heartbeat has written', async () => {
  await notes.note(holdOf(undefined));
  await notes.note(holdOf(() => undefined));
  expect(await readFile(join(dataDir, 'notes', '0.rows'), 'utf8')).toBe('');
  await notes.note(holdOf(() => ROW));
  expect(notes.pendingNote('gen-1-a')).toBe(ROW);
  notes.switchFiles()();
  const { notes: left } = await NoteFiles.read(join(dataDir, 'notes'));
  expect([left, notes.pendingNote('gen-1-a')]).toEqual([[], undefined]);
});

it('logs a refusing disk once, and again after it has accepted something', async () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const full = jest.spyOn(NoteFiles.prototype, 'write').mockImplementation(() => {
    throw new Error('no space left');
  });
  for (let step = 0; step < 3; step++) await notes.note(holdOf(() => ROW));
  expect(warn).toHaveBeenCalledTimes(1);
  full.mockRestore();
  await notes.note(holdOf(() => ROW));
  await notes.note(
    holdOf(() => {
      throw new Error('cannot be observed');
    }),
  );
  expect(warn).toHaveBeenCalledTimes(2);
});

it('fails no heartbeat, and no request that outlives the gateway', async () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const broken = (): never => {
    throw new Error('a disk that is gone');
  };
  jest.spyOn(NoteFiles.prototype, 'switchFiles').mockReturnValue(broken);
  notes.switchFiles()();
  expect(warn).toHaveBeenCalledTimes(1);
  notes.onApplicationShutdown();
  await notes.note(holdOf(() => ROW));
  notes.switchFiles()();
  expect(notes.pendingNote('gen-1-a')).toBeUndefined();
});
