/**
 * A file of a store is read as it was written, or refused: cut at any byte, with any byte changed, of a newer release,
 * or another file altogether. Real files: small ones for every byte, and one of many rows for the groups in which they
 * are returned.
 */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FORMER_HISTORIES, MIGRATIONS } from '../../src/shared/database/migrations.js';
import { FileRefused } from '../../src/shared/database/transfer/file-refused.js';
import { migrationsOf } from '../../src/shared/database/transfer/import-store.js';
import {
  readStoreFile,
  StoreFileWriter,
  type StoreDescription,
} from '../../src/shared/database/transfer/store-file.js';

/** Other readers take some of these characters for the end of a line. */
const ROW = '{"text": "\u2028\u2029\\nü€𝄞", "number": 12345678901234567890.10}';
const NAMES = MIGRATIONS.map(({ name }) => name);

let folder: string;
let fileCount = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-store-file-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const newPath = (): string => join(folder, `${fileCount++}.ndjson`);

const describing = (...counts: readonly number[]): StoreDescription => ({
  migrations: NAMES,
  months: ['2026-01-01T00:00:00Z'],
  tables: counts.map((rows, index) => ({ name: `table_${index}`, rows })),
});

async function write(description: StoreDescription, rows: readonly string[]): Promise<string> {
  const path = newPath();
  const file = await StoreFileWriter.create(path);
  await file.describe(description);
  if (rows.length > 0) await file.write(rows);
  await file.finish();
  return path;
}

/** The refusal of each file; undefined where there is none. */
async function refusals(files: readonly Buffer[]): Promise<(string | undefined)[]> {
  const path = newPath();
  const reason: (string | undefined)[] = [];
  for (const bytes of files) {
    await writeFile(path, bytes);
    reason.push(
      await readStoreFile(path).then(
        () => undefined,
        (error: unknown) => (error instanceof FileRefused ? error.message : `not refused but failed: ${String(error)}`),
      ),
    );
  }
  return reason;
}

describe('a file of a store', () => {
  it('returns its rows, table by table, including empty ones', async () => {
    const description = describing(0, 2, 0, 0, 1, 0);
    const path = await write(description, [ROW, '{}', ROW]);
    const taken: [string, readonly string[]][] = [];
    expect(await readStoreFile(path, async (table, rows) => void taken.push([table, rows]))).toEqual(description);
    expect(taken).toEqual([
      ['table_1', [ROW, '{}']],
      ['table_4', [ROW]],
    ]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('may be of no rows, or of no tables', async () => {
    for (const description of [describing(0, 0), describing()]) {
      expect(await readStoreFile(await write(description, []))).toEqual(description);
    }
  });

  it('returns many rows in groups, by number and by size', async () => {
    const rows = Array.from({ length: 2_500 }, (_, index) => `{"n": ${index}}`);
    const long = Array.from({ length: 5 }, (_, index) => `{"long": "${String(index).repeat(700_000)}"}`);
    const sizes: number[] = [];
    const taken: string[] = [];
    await readStoreFile(await write(describing(2_500, 5), [...rows, ...long]), async (_, group) => {
      sizes.push(group.length);
      taken.push(...group);
    });
    expect(taken).toEqual([...rows, ...long]);
    expect(sizes).toEqual([1_000, 1_000, 500, 2, 2, 1]);
  });

  it('is refused when it is cut short, at any byte', async () => {
    const bytes = await readFile(await write(describing(1, 1), [ROW, ROW]));
    const cut = await refusals(Array.from(bytes, (_, length) => bytes.subarray(0, length)));
    expect(
      cut
        .map((reason, length) => ({ refusal: reason, length }))
        .filter(({ refusal: reason }) => !reason?.startsWith(folder)),
    ).toEqual([]);
  });

  it('is refused when any byte of it was changed', async () => {
    const bytes = await readFile(await write(describing(1, 1), [ROW, ROW]));
    const changed = Array.from(bytes, (byte, position) => bytes.with(position, byte ^ 0x02)).map((array) =>
      Buffer.from(array),
    );
    const reason = await refusals(changed);
    expect(
      reason.map((reason, position) => ({ reason, position })).filter(({ reason }) => !reason?.startsWith(folder)),
    ).toEqual([]);
  });

  it.each([
    ['goes on after its end', (lines: string[]) => [...lines, '{}'], /goes on after its end/],
    ['lost a row', (lines: string[]) => lines.toSpliced(1, 1), /checksum|cut short/],
    ['is empty', () => [], /is empty/],
    ['is another', () => ['{"some": "json"}', '{}'], /not a store/],
    ['is of a newer format', (lines: string[]) => [lines[0]!.replace('"version":1', '"version":2')], /newer release/],
    ['lists no tables', (lines: string[]) => [lines[0]!.replace('"tables"', '"others"')], /damaged first line/],
    ['counts a negative number of rows', (lines: string[]) => [lines[0]!.replace('"rows":1', '"rows":-1')], /damaged first line/],
  ])('is refused when it %s', async (_, change, reason) => {
    const path = await write(describing(1, 1), [ROW, ROW]);
    const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
    const [message] = await refusals([Buffer.from(change(lines).map((line) => `${line}\n`).join(''))]);
    expect(message).toMatch(reason);
  }); // oxfmt-ignore

  it('is refused, and not kept in memory, when it has no lines', async () => {
    const [reason] = await refusals([Buffer.alloc(70 * 1_048_576, 'x')]);
    expect(reason).toContain('not a store');
  });

  it('is refused when there is none, or none can be written', async () => {
    await expect(readStoreFile(join(folder, 'none'))).rejects.toThrow(/cannot be read \(ENOENT\)/);
    await expect(readStoreFile(folder)).rejects.toThrow(/cannot be read \(EISDIR\)/);
    await expect(StoreFileWriter.create(join(folder, 'not', 'there'))).rejects.toThrow(/cannot be written \(ENOENT\)/);
  });

  it('does not overwrite another, and leaves nothing when it is discarded', async () => {
    const path = newPath();
    const file = await StoreFileWriter.create(path);
    await expect(StoreFileWriter.create(path)).rejects.toThrow(/already exists/);
    await file.describe(describing(0));
    await file.discard();
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  it('passes on the errors of its reader', async () => {
    const path = await write(describing(1), [ROW]);
    const away = Object.assign(new Error('away'), { code: 'ECONNRESET' });
    await expect(readStoreFile(path, () => Promise.reject(away))).rejects.toBe(away);
  });
});

describe('the schema of a file', () => {
  const made = (...migrations: string[]) => migrationsOf('file', { migrations, months: [], tables: [] });

  it('is that of this release, or of an older one', () => {
    expect(made(...NAMES)).toEqual(MIGRATIONS);
    expect(made(...NAMES.slice(0, 1))).toEqual(MIGRATIONS.slice(0, 1));
  });

  it('is that of the first release where a version before it wrote the file: all of its columns exist', () => {
    for (const history of FORMER_HISTORIES) expect(made(...history)).toEqual(MIGRATIONS.slice(0, 2));
  });

  it.each([
    ['of a version too old', FORMER_HISTORIES[0].slice(0, -1), /too old/],
    ['of two pasts', [...FORMER_HISTORIES[0], ...NAMES], /never existed/],
    ['of a newer release', [...NAMES, 'Next1999999999999'], /newer release \(Next1999999999999/],
    ['with a gap', NAMES.slice(1), /never existed/],
    ['in another order', NAMES.toReversed(), /never existed/],
    ['of no release', [], /never existed/],
  ])('is refused when it is one %s', (_, names, reason) => {
    expect(() => made(...names)).toThrow(FileRefused);
    expect(() => made(...names)).toThrow(reason);
  });
});
