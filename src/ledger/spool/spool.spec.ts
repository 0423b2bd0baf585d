/**
 * No settlement whose append resolved is ever lost, and none is invented: with kills at any byte, a full disk, failing
 * replays, damaged files, and several processes on one folder. Real files and random interleavings; a crash is a copy
 * of the folder at a random moment; a port for files refuses writes, also in mid-line; other processes hold or left
 * locks.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, mkdir, readFile, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { newUuid } from '../../core/ids.js';
import { identifySelf } from '../../shared/database/process-identity.js';
import { systemCode } from '../../shared/database/system-code.js';
import type { GenerationRow } from '../generations/generation-row.js';
import { Spool, SPOOL_ROWS_MAX } from './spool.js';
import { printSpoolLine, readSpoolLines } from './spool-lines.js';
import { createSpoolFile, SEGMENT_ROWS_MAX, type CreateSpoolFile } from './spool-segment.js';

/** Characters that a line must escape, that take several bytes, and that other readers take for a line end. */
const ODD_TEXT = 'ü\u2028€\n\r\0\ud800𝄞"}';

let root: string;
let dir: string;
let warnings: string[];
const opened: Spool[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-spool-'));
  dir = join(root, 'spool');
  warnings = [];
  jest.spyOn(Logger.prototype, 'warn').mockImplementation((text: string) => void warnings.push(text));
});

afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(opened.splice(0).map((spool) => spool.close()));
  await rm(root, { recursive: true, force: true });
});

let rowCount = 0;

function newRow(): GenerationRow {
  return {
    id: `gen-1764200000-${String(rowCount++).padStart(20, '0')}`,
    held_at: '2026-01-31T23:59:59.999Z',
    settled_at: '2026-02-01T00:00:00.000Z',
    account_id: '0190a000-0000-7000-8000-000000000001',
    workspace_id: '0190a000-0000-7000-8000-000000000002',
    key_hash: 'ab'.repeat(32),
    key_user: null,
    api_type: 'messages',
    requested_model: 'test/model',
    model: 'test/model',
    upstream_model: null,
    preset_id: null,
    response_cache_source_id: null,
    provider: 'test',
    provider_name: 'Test',
    endpoint: 'test',
    upstream_id: null,
    service_tier: null,
    credential: null,
    is_byok: false,
    streamed: true,
    outcome: 'completed',
    finish_reason: 'stop',
    native_finish_reason: 'end_turn',
    prompt_tokens: 12,
    completion_tokens: 34,
    reasoning_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cache_write_1h_tokens: 0,
    images: 0,
    web_searches: 0,
    web_fetches: 0,
    web_search_results: null,
    web_search_engine: null,
    bound: '0.123456789012',
    cost: '0.000000000001',
    byok_cost: '0',
    prompt_cost: '0',
    completion_cost: '0.000000000001',
    tools_cost: '0',
    operator_cost: '0',
    price_version: null,
    is_estimated: false,
    is_over_bound: false,
    is_recovered: false,
    is_corrected: false,
    latency_ms: 1,
    generation_ms: 2,
    session_id: null,
    end_user: ODD_TEXT,
    trace: { nested: [ODD_TEXT, 0.1] },
    attempts: [{ provider: 'test', status: 200 }],
    dialect: null,
    request_id: null,
    tags: null,
  };
}

const newRows = (count: number): GenerationRow[] => Array.from({ length: count }, newRow);
const idsOf = (rows: readonly GenerationRow[]): string[] => rows.map(({ id }) => id);

async function openSpool({
  at = dir,
  replica = newUuid(Date.now()),
  rowsMax = SPOOL_ROWS_MAX,
  createFile = createSpoolFile,
} = {}): Promise<Spool> {
  const spool = await Spool.open(at, replica, rowsMax, createFile);
  opened.push(spool);
  return spool;
}

const appendAll = (spool: Spool, rows: readonly GenerationRow[]) => Promise.all(rows.map((row) => spool.append(row)));

/** Everything that waits; afterwards nothing does. */
async function drain(spool: Spool, batch?: number): Promise<GenerationRow[]> {
  const rows: GenerationRow[] = [];
  await spool.replay(async (group) => void rows.push(...group), batch);
  return rows;
}

/** What a process killed at this moment would leave: its files as they are, and a lock whose owner is dead. */
async function crash(to: string): Promise<void> {
  await mkdir(to);
  for (const name of await readdir(dir)) {
    // A concurrent replay may remove the file first.
    await copyFile(join(dir, name), join(to, name)).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error;
    });
    if (name.endsWith('.lock')) await writeDeadLock(join(to, name));
  }
}

async function writeDeadLock(path: string): Promise<void> {
  await writeFile(path, JSON.stringify({ ...(await identifySelf()), startedAt: '1', nonce: newUuid(Date.now()) }));
}

async function rowFiles(at = dir): Promise<string[]> {
  return (await readdir(at)).filter((name) => name.endsWith('.rows')).sort();
}

const noSpace = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

describe('a line', () => {
  const rows = newRows(3);
  const lines = rows.map(printSpoolLine);
  const bytes = Buffer.from(lines.join(''));

  it('is one line, and is read as it was written', () => {
    expect(bytes.filter((byte) => byte === 10)).toHaveLength(rows.length);
    expect(readSpoolLines(bytes)).toEqual({ rows, damaged: [] });
  });

  it('is dropped where it is torn, at any byte, and is the only one dropped', () => {
    const ends = lines.map((_, index) => Buffer.byteLength(lines.slice(0, index + 1).join('')));
    const wrong: number[] = [];
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { rows: left, damaged } = readSpoolLines(bytes.subarray(0, cut));
      // A line that lacks only its end is whole.
      const expected = rows.slice(0, ends.filter((end) => end - 1 <= cut).length);
      if (String(idsOf(left)) !== String(idsOf(expected)) || damaged.length > 0) wrong.push(cut);
    }
    expect(wrong).toEqual([]);
  });

  it('is reported as damaged where any byte of it was changed, and never read as another row', () => {
    const [start, end] = [lines[0]!, lines[0]! + lines[1]!].map((text) => Buffer.byteLength(text)) as [number, number];
    const wrong: number[] = [];
    // The line end is excluded: changed, it makes one damaged line of two.
    for (let position = start; position < end - 1; position++) {
      const changed = Buffer.from(bytes);
      changed[position] = changed[position]! ^ 0x01;
      const { rows: left, damaged } = readSpoolLines(changed);
      const isRight = String(idsOf(left)) === String(idsOf([rows[0]!, rows[2]!]));
      if (!isRight || !Buffer.concat(damaged).equals(changed.subarray(start, end))) wrong.push(position);
    }
    expect(wrong).toEqual([]);
  });

  it('is reported as damaged where blocks of zeros replace it, as after a power loss', () => {
    const { rows: left, damaged } = readSpoolLines(Buffer.concat([Buffer.alloc(512), Buffer.from('\n'), bytes]));
    expect(left).toEqual(rows);
    expect(damaged).toHaveLength(1);
  });
});

describe('the spool', () => {
  it('replays what was appended, oldest first, in batches, and then leaves no file', async () => {
    const spool = await openSpool();
    const rows = newRows(2 * SEGMENT_ROWS_MAX + 50);
    for (let start = 0; start < rows.length; start += 90) await appendAll(spool, rows.slice(start, start + 90));
    expect(spool.waiting).toBe(rows.length);
    expect((await rowFiles()).length).toBeGreaterThan(2);

    const sizes: number[] = [];
    const given: GenerationRow[] = [];
    await spool.replay(async (group) => {
      sizes.push(group.length);
      given.push(...group);
    }, 40);
    expect(given).toEqual(rows);
    expect(Math.max(...sizes)).toBe(40);
    expect(spool.waiting).toBe(0);
    expect(await rowFiles()).toEqual([]);
    await spool.close();
    expect(await readdir(dir)).toEqual([]);
  });

  it('is closed to other users', async () => {
    const spool = await openSpool();
    await spool.append(newRow());
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(dir)) expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
  });

  it('shares one write and one sync between concurrent appends', async () => {
    const calls: string[] = [];
    const createFile: CreateSpoolFile = async (path) => {
      const file = await createSpoolFile(path);
      return {
        appendFile: (data) => (calls.push('write'), file.appendFile(data)),
        datasync: () => (calls.push('sync'), file.datasync()),
        truncate: (length) => file.truncate(length),
        stat: file.stat.bind(file),
        close: () => file.close(),
      };
    };
    const spool = await openSpool({ createFile });
    await appendAll(spool, newRows(100));
    expect(calls).toEqual(['write', 'sync']);
  });

  it('takes rowsMax rows, also by concurrent appends, and refuses the next', async () => {
    const spool = await openSpool({ rowsMax: 3 });
    expect(spool.freeRows).toBe(3);
    const tries = newRows(5).map((row) => spool.append(row));
    expect(spool.freeRows).toBe(0);
    const results = await Promise.allSettled(tries);
    expect(results.map(({ status }) => status)).toEqual([...Array(3).fill('fulfilled'), ...Array(2).fill('rejected')]);
    expect({ waiting: spool.waiting, freeRows: spool.freeRows }).toEqual({ waiting: 3, freeRows: 0 });
    await expect(spool.append(newRow())).rejects.toThrow('full');
    await drain(spool);
    expect({ waiting: spool.waiting, freeRows: spool.freeRows }).toEqual({ waiting: 0, freeRows: 3 });
    await spool.append(newRow());
  });

  it('stops at the first refused batch, reports why, and begins there again', async () => {
    const spool = await openSpool();
    const rows = newRows(10);
    await appendAll(spool, rows);
    const given: GenerationRow[] = [];
    const refused = spool.replay(async (group) => {
      if (given.length === 6) throw new Error('away');
      given.push(...group);
    }, 3);
    await expect(refused).rejects.toThrow('away');
    expect(given).toEqual(rows.slice(0, 6));
    expect(spool.waiting).toBe(4);
    expect(await drain(spool)).toEqual(rows.slice(6));
  });

  it('never replays twice at once', async () => {
    const spool = await openSpool();
    await appendAll(spool, newRows(3));
    const given: string[] = [];
    const settle = async (group: readonly GenerationRow[]) => void given.push(...idsOf(group));
    await Promise.all([spool.replay(settle, 1), spool.replay(settle, 1)]);
    expect(new Set(given).size).toBe(3);
    expect(given).toHaveLength(3);
  });

  it('accepts rows while it replays, for the next time', async () => {
    const spool = await openSpool();
    const [first, second] = [newRow(), newRow()];
    await spool.append(first);
    const given: GenerationRow[] = [];
    await spool.replay(async (group) => {
      given.push(...group);
      await spool.append(second);
    });
    expect(given).toEqual([first]);
    expect(spool.waiting).toBe(1);
    expect(await drain(spool)).toEqual([second]);
  });

  it('writes pending appends before it closes, and nothing after', async () => {
    const spool = await openSpool();
    const rows = newRows(SEGMENT_ROWS_MAX + 1);
    const appends = appendAll(spool, rows);
    await spool.close();
    await appends;
    await expect(spool.append(newRow())).rejects.toThrow('closed');
    const next = await openSpool();
    expect(await next.adopt()).toBe(rows.length);
    expect(await drain(next)).toEqual(rows);
  });

  it('takes over what an earlier process of the same id left, without taking rows', async () => {
    const replica = newUuid(1);
    const first = await openSpool({ replica });
    const rows = newRows(4);
    await appendAll(first, rows);
    await expect(openSpool({ replica })).rejects.toThrow();
    await first.close();
    const second = await openSpool({ replica, rowsMax: 5 });
    expect({ waiting: second.waiting, freeRows: second.freeRows }).toEqual({ waiting: 4, freeRows: 5 });
    expect(await drain(second)).toEqual(rows);
  });

  it('refuses an invalid id', async () => {
    await expect(openSpool({ replica: '../up' })).rejects.toThrow('letters');
  });
});

describe('a crash', () => {
  it('loses nothing before the byte at which it tears the file', async () => {
    const spool = await openSpool();
    const rows = newRows(12);
    for (const row of rows) await spool.append(row);
    const [name] = await rowFiles();
    const bytes = await readFile(join(dir, name!));
    const cuts = fc.sample(fc.nat(bytes.length), 20);
    for (const [index, cut] of [0, 1, bytes.length - 1, bytes.length, ...cuts].entries()) {
      const at = join(root, `cut-${index}`);
      await crash(at);
      await truncate(join(at, name!), cut);
      const next = await openSpool({ at });
      const expected = readSpoolLines(bytes.subarray(0, cut)).rows;
      expect(await next.adopt()).toBe(expected.length);
      await next.append(rows[0]!);
      expect(await drain(next)).toEqual([...expected, rows[0]]);
      expect(await rowFiles(at)).toEqual([]);
    }
    expect(warnings).toEqual([]);
  });

  type Step =
    | { readonly kind: 'append'; readonly count: number; readonly isAwaited: boolean }
    | {
        readonly kind: 'replay';
        readonly batch: number;
        readonly batchesUntilFailure: number;
        readonly isAwaited: boolean;
      }
    | { readonly kind: 'fault'; readonly bytes: number; readonly keepsTruncate: boolean }
    | { readonly kind: 'crash' | 'restart' | 'rest' };

  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 12 }), isAwaited: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('replay' as const), batch: fc.integer({ min: 1, max: 5 }), batchesUntilFailure: fc.nat(6), isAwaited: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('fault' as const), bytes: fc.nat(4_000), keepsTruncate: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('crash' as const, 'restart' as const, 'rest' as const) }) },
  ); // oxfmt-ignore

  it('in any interleaving of appends, replays, failures and restarts loses no row and invents none', async () => {
    let crashes = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
        const home = await mkdtemp(join(root, 'run-'));
        dir = join(home, '0');
        const requested = new Set<string>();
        const kept = new Set<string>();
        const settled = new Set<string>();
        const underWay: Promise<unknown>[] = [];
        let fault: { readonly bytes: number; readonly keepsTruncate: boolean } | undefined;

        /** Writes that many bytes of the next write and then fails, once. */
        const createFile: CreateSpoolFile = async (path) => {
          const file = await createSpoolFile(path);
          let isStuck = false;
          return {
            appendFile: async (data) => {
              if (!fault) return file.appendFile(data);
              const { bytes, keepsTruncate } = fault;
              fault = undefined;
              isStuck = !keepsTruncate;
              await file.appendFile((data as Buffer).subarray(0, bytes));
              throw noSpace();
            },
            truncate: async (length) => {
              if (isStuck) throw noSpace();
              await file.truncate(length);
            },
            datasync: () => file.datasync(),
            stat: file.stat.bind(file),
            close: () => file.close(),
          };
        };
        let spool = await openSpool({ createFile, at: dir });

        const append = async (rows: readonly GenerationRow[]): Promise<void> => {
          for (const { id } of rows) requested.add(id);
          const tries = rows.map((row) => spool.append(row).then(() => void kept.add(row.id)));
          await Promise.allSettled(tries);
        };
        const replay = async (batch: number, batchesUntilFailure: number): Promise<void> => {
          let left = batchesUntilFailure;
          const settle = async (rows: readonly GenerationRow[]): Promise<void> => {
            if (left-- === 0) throw new Error('away');
            for (const { id } of rows) settled.add(id);
          };
          await spool.replay(settle, batch).catch(() => undefined);
        };
        const perform = async (act: Promise<void>, isAwaited: boolean): Promise<void> => {
          underWay.push(act);
          if (isAwaited) await act;
        };

        for (const next of steps) {
          if (next.kind === 'append') await perform(append(newRows(next.count)), next.isAwaited);
          else if (next.kind === 'replay') await perform(replay(next.batch, next.batchesUntilFailure), next.isAwaited);
          else if (next.kind === 'fault') fault = next;
          else if (next.kind === 'rest') await Promise.all(underWay);
          else {
            if (next.kind === 'restart') await spool.close();
            const keptBefore = new Set(kept);
            const to = join(home, `${(crashes += 1)}`);
            await crash(to);
            // What the process does after its death does not count.
            const settledBefore = new Set(settled);
            const old = spool;
            await Promise.all(underWay);
            await old.close();
            dir = to;
            spool = await openSpool({ createFile, at: dir });
            await spool.adopt();
            kept.clear();
            settled.clear();
            for (const id of keptBefore) kept.add(id);
            for (const id of settledBefore) settled.add(id);
          }
        }
        await Promise.all(underWay);
        for (const { id } of await drain(spool)) settled.add(id);
        expect([...kept].filter((id) => !settled.has(id))).toEqual([]);
        expect([...settled].filter((id) => !requested.has(id))).toEqual([]);
        expect(spool.waiting).toBe(0);
        expect(spool.freeRows).toBe(SPOOL_ROWS_MAX);
        await spool.close();
        expect((await readdir(dir)).filter((name) => name.endsWith('.lock'))).toEqual([]);
        await rm(home, { recursive: true });
      }),
      { numRuns: 40, interruptAfterTimeLimit: 15_000 },
    );
    expect(crashes).toBeGreaterThan(0);
  }, 240_000);
});

describe('a disk that refuses', () => {
  /** A disk on which each of the next writes stops after this many bytes. */
  function brokenDisk(progress: number[], refusesTruncate = false): CreateSpoolFile {
    return async (path) => {
      const file = await createSpoolFile(path);
      return {
        appendFile: async (data) => {
          const bytes = progress.shift();
          if (bytes === undefined) return file.appendFile(data);
          await file.appendFile((data as Buffer).subarray(0, bytes));
          throw noSpace();
        },
        truncate: async (length) => {
          if (refusesTruncate) throw noSpace();
          await file.truncate(length);
        },
        datasync: () => file.datasync(),
        stat: file.stat.bind(file),
        close: () => file.close(),
      };
    };
  }

  it.each([
    ['takes the remains back', false],
    ['steps over the remains', true],
  ])('rejects the append, and %s', async (_, refusesTruncate) => {
    const progress: number[] = [];
    const spool = await openSpool({ createFile: brokenDisk(progress, refusesTruncate) });
    const rows = newRows(4);
    await spool.append(rows[0]!);
    // The second was written as a whole, the third not.
    progress.push(Buffer.byteLength(printSpoolLine(rows[1]!)) + 7);
    const failed = await Promise.allSettled([spool.append(rows[1]!), spool.append(rows[2]!)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect({ waiting: spool.waiting, freeRows: spool.freeRows }).toEqual({ waiting: 1, freeRows: SPOOL_ROWS_MAX - 1 });
    await spool.append(rows[3]!);
    expect(await drain(spool)).toEqual([rows[0], rows[3]]);
    expect(warnings).toEqual([]);
  });

  it('leaves no files behind however often it refuses', async () => {
    const spool = await openSpool({ createFile: brokenDisk([0, 1, 2, 3, 0], true) });
    for (let tries = 0; tries < 5; tries++) await expect(spool.append(newRow())).rejects.toThrow('ENOSPC');
    expect(await rowFiles()).toEqual([]);
    expect(spool.freeRows).toBe(SPOOL_ROWS_MAX);
    await spool.append(newRow());
    expect(spool.waiting).toBe(1);
  });

  it('rejects the append when the folder has gone, and continues when it is back', async () => {
    const spool = await openSpool();
    await rm(dir, { recursive: true });
    await expect(spool.append(newRow())).rejects.toThrow('ENOENT');
    await mkdir(dir);
    await spool.append(newRow());
    expect(spool.waiting).toBe(1);
  });
});

describe('damage', () => {
  it('is set aside with the affected line, logged without its content, and costs nothing else', async () => {
    const spool = await openSpool();
    const rows = newRows(3);
    await appendAll(spool, rows);
    const [name] = await rowFiles();
    const bytes = await readFile(join(dir, name!));
    const length = Buffer.byteLength(printSpoolLine(rows[0]!));
    bytes[length + 60] = bytes[length + 60]! ^ 0xff;
    await writeFile(join(dir, name!), bytes);

    expect(idsOf(await drain(spool))).toEqual(idsOf([rows[0]!, rows[2]!]));
    expect(spool.waiting).toBe(0);
    const aside = (await readdir(dir)).filter((file) => file.endsWith('.damaged'));
    expect(aside).toHaveLength(1);
    const path = join(dir, aside[0]!);
    expect(await readFile(path)).toEqual(bytes.subarray(length, 2 * length));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(aside[0]);
    expect(warnings[0]).not.toMatch(/gen-|[0-9a-f]{64}/);

    await spool.close();
    const next = await openSpool();
    expect(await next.adopt()).toBe(0);
    expect(await readdir(dir)).toContain(aside[0]);
  });

  it('of a whole file is set aside when the file is taken over', async () => {
    await mkdir(dir);
    await writeFile(join(dir, `${newUuid(1)}.${newUuid(2)}.rows`), 'neither\na row\nnor a torn');
    const spool = await openSpool();
    expect(await spool.adopt()).toBe(0);
    expect(await rowFiles()).toEqual([]);
    expect(await readFile(join(dir, `${(await readdir(dir)).find((name) => name.endsWith('.damaged'))}`), 'utf8')).toBe(
      'neither\na row\n',
    );
    expect(warnings).toHaveLength(1);
  });
});

describe('several processes on one folder', () => {
  it('leave files that they cannot read to others, and take over the rest', async () => {
    const dead = newUuid(1);
    const before = await openSpool();
    const rows = newRows(1);
    await appendAll(before, rows);
    await before.close();
    const [left] = await rowFiles();
    await rename(join(dir, left!), join(dir, `${dead}.${newUuid(9)}.rows`));
    // Stands for a file of another user: a folder cannot be read by any user either.
    const unreadable = `${dead}.${newUuid(2)}.rows`;
    await mkdir(join(dir, unreadable));
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const spool = await openSpool();
    expect([await spool.adopt(), await spool.adopt()]).toEqual([1, 0]);
    expect(logged).toHaveBeenCalledTimes(1);
    expect(await readdir(dir)).toContain(unreadable);
    expect(idsOf(await drain(spool))).toEqual(idsOf(rows));
    await rm(join(dir, unreadable), { recursive: true });
    await spool.close();
  });

  it('leave a living one its file, in this process and in another', async () => {
    const [first, second] = [await openSpool(), await openSpool()];
    await first.append(newRow());

    const stranger = spawn(process.execPath, ['-e', 'console.log("up"); process.stdin.resume()'], { stdio: 'pipe' });
    try {
      await once(stranger.stdout, 'data');
      const pid = stranger.pid!;
      const fields = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(') ')[1]?.split(' ') ?? [];
      const replica = newUuid(1);
      const identity = { ...(await identifySelf()), pid, startedAt: fields[19] ?? null, nonce: 'stranger' };
      await writeFile(join(dir, `${replica}.lock`), JSON.stringify(identity));
      const file = join(dir, `${replica}.${newUuid(2)}.rows`);
      const row = newRow();
      await writeFile(file, printSpoolLine(row));

      expect(await second.adopt()).toBe(0);
      expect(await readFile(file, 'utf8')).toBe(printSpoolLine(row));
      expect(first.waiting).toBe(1);

      const gone = once(stranger, 'exit');
      stranger.kill('SIGKILL');
      await gone;
      expect(await second.adopt()).toBe(1);
      expect({ waiting: second.waiting, freeRows: second.freeRows }).toEqual({ waiting: 1, freeRows: SPOOL_ROWS_MAX });
      expect(await drain(second)).toEqual([row]);
      expect((await readdir(dir)).filter((name) => name.startsWith(replica))).toEqual([]);
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  it('take over the files of a dead one once, however many try, and its heir’s in turn', async () => {
    const rows = newRows(SEGMENT_ROWS_MAX + 3);
    const dead = newUuid(1);
    await mkdir(dir);
    await writeFile(join(dir, `${dead}.${newUuid(2)}.rows`), rows.slice(0, -3).map(printSpoolLine).join(''));
    await writeFile(join(dir, `${dead}.${newUuid(3)}.rows`), rows.slice(-3).map(printSpoolLine).join(''));
    await writeDeadLock(join(dir, `${dead}.lock`));

    const heirs = [await openSpool(), await openSpool(), await openSpool()];
    const counts = await Promise.all(heirs.map((heir) => heir.adopt()));
    expect(counts.filter((count) => count > 0)).toEqual([rows.length]);
    const heir = heirs[counts.findIndex((count) => count > 0)]!;
    const own = newRow();
    await heir.append(own);

    const to = join(root, 'again');
    await crash(to);
    const next = await openSpool({ at: to });
    expect(await next.adopt()).toBe(rows.length + 1);
    expect(await drain(next)).toEqual([...rows, own]);
    expect((await readdir(to)).filter((name) => name.includes(dead))).toEqual([]);
  });

  it('lose nothing when a living one is taken for dead while it writes', async () => {
    const [writer, heir] = [await openSpool(), await openSpool()];
    const rows = newRows(150);
    const settled = new Set<string>();
    const settle = async (group: readonly GenerationRow[]) => idsOf(group).forEach((id) => settled.add(id));
    let written = 0;
    let isWriting = true;
    const write = async (): Promise<void> => {
      try {
        for (const row of rows) {
          await writer.append(row);
          written++;
        }
      } finally {
        isWriting = false;
      }
    };
    const steal = async (): Promise<number> => {
      let taken = 0;
      while (isWriting) {
        const writtenBefore = written;
        for (const name of await readdir(dir)) {
          // The heir's own lock is removed as well; it is not needed again.
          if (name.endsWith('.lock')) await rm(join(dir, name), { force: true });
        }
        taken += await heir.adopt();
        await heir.replay(settle);
        // A write gives up after some thefts: each meets another one.
        while (isWriting && written === writtenBefore) await nextTurn();
      }
      return taken;
    };
    const [, taken] = await Promise.all([write(), steal()]);
    expect(taken).toBeGreaterThan(0);
    await heir.adopt();
    await heir.replay(settle);
    await writer.replay(settle);
    expect([...settled].sort()).toEqual(idsOf(rows).sort());
  });
});
