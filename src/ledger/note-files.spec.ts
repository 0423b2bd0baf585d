/**
 * The next process finds the last note of each generation, unless a heartbeat has brought it into the database, however
 * the process ended and wherever a line was cut. Uses real files; their contents are what a killed process leaves.
 */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NOTHING_OBSERVED } from './generations/generation-row.js';
import { NoteFiles, type Note } from './note-files.js';
import type { Settlement } from './settlement.js';

let folder: string;
let files: NoteFiles;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'fairlead-notes-')), 'notes');
  files = NoteFiles.create(folder);
});
afterEach(async () => {
  files.close();
  await rm(join(folder, '..'), { recursive: true });
});

/** All have the same time: their order does not come from a clock. */
const note = (id: string, cost: string): Note => ({
  hold: { generation_id: id },
  row: { ...NOTHING_OBSERVED, id, cost, settled_at: '2026-01-01T00:00:00.000Z' } as unknown as Settlement,
});

const costs = async (): Promise<Record<string, string>> =>
  Object.fromEntries((await NoteFiles.read(folder)).notes.map(({ row: { id, cost } }) => [id, cost]));

describe('notes of open generations', () => {
  it('are read back, the latest of each', async () => {
    for (const [id, cost] of [['a', '1'], ['b', '2'], ['a', '3']] as const) files.write(note(id, cost)); // oxfmt-ignore
    expect(await costs()).toEqual({ a: '3', b: '2' });
    expect((await NoteFiles.read(folder)).notes).toContainEqual(note('a', '3'));
    expect([files.latest('a')?.cost, files.latest('b')?.cost, files.latest('c')]).toEqual(['3', '2', undefined]);
  });

  it('are empty where none was written', async () => {
    expect(await costs()).toEqual({});
    expect(await NoteFiles.read(join(folder, 'nowhere'))).toEqual({ notes: [], damaged: [] });
  });

  it('are refused with their path where it holds something else', async () => {
    files.write(note('a', '1'));
    const [line] = (await readFile(join(folder, '0.rows'), 'utf8')).split('\n');
    const other = join(folder, '1.rows');
    const refused = (): Promise<string> => NoteFiles.read(folder).then(() => '', ({ message }: Error) => message); // oxfmt-ignore
    await rm(other);
    await mkdir(other);
    expect(await refused()).toContain(`${other} cannot be read (it is no file)`);
    await rm(other, { recursive: true });
    execFileSync('mkfifo', [other]);
    expect(await refused()).toContain(`${other} cannot be read (it is no file)`);
    await rm(other);
    // The checksum is right, but the line is no JSON.
    await writeFile(other, `{"sum":"${hash('sha256', '{', 'hex').slice(0, 16)}","row":{}\n${line}\n`);
    expect(await refused()).toContain(`${other} cannot be read (it was not written by this gateway, or is too large)`);
  });

  it('are gone once a heartbeat has written them, and only then', async () => {
    files.write(note('before', '1'));
    const markWritten = files.switchFiles();
    files.write(note('after', '2'));
    expect(await costs()).toEqual({ before: '1', after: '2' });
    markWritten();
    expect(await costs()).toEqual({ after: '2' });
    expect([files.latest('before'), files.latest('after')?.cost]).toEqual([undefined, '2']);
    files.switchFiles()();
    expect(await costs()).toEqual({});
  });

  it('stay through failing heartbeats, and the first that succeeds ends them', async () => {
    files.write(note('a', '1'));
    files.switchFiles();
    files.write(note('b', '2'));
    files.switchFiles();
    files.write(note('c', '3'));
    const markWritten = files.switchFiles();
    files.write(note('d', '4'));
    expect(await costs()).toEqual({ a: '1', b: '2', c: '3', d: '4' });
    markWritten();
    expect(await costs()).toMatchObject({ b: '2', c: '3', d: '4' });
    files.switchFiles()();
    expect(await costs()).toEqual({});
    files.write(note('e', '5'));
    expect(await costs()).toEqual({ e: '5' });
  });

  it('yield the latest row, in whichever of the two files it is', async () => {
    files.write(note('a', '1'));
    files.switchFiles();
    files.write(note('a', '2'));
    expect([await costs(), files.latest('a')?.cost]).toEqual([{ a: '2' }, '2']);
    files.switchFiles()();
    files.switchFiles();
    files.write(note('b', '3'));
    files.switchFiles();
    files.write(note('b', '4'));
    expect([(await costs())['b'], files.latest('b')?.cost]).toEqual(['4', '4']);
  });

  it('touch no file after the last call, which a heartbeat may outlive', async () => {
    files.write(note('a', '1'));
    const markWritten = files.switchFiles();
    files.close();
    const another = await open(join(folder, 'another'), 'w');
    await another.writeFile('whole');
    markWritten();
    await another.close();
    expect(await readFile(join(folder, 'another'), 'utf8')).toBe('whole');
    expect(await costs()).toEqual({ a: '1' });
    files = NoteFiles.create(folder);
  });

  it('take no more disk than between two heartbeats', async () => {
    for (let beat = 0; beat < 50; beat++) {
      for (let count = 0; count < 10; count++) files.write(note('a', String(count)));
      files.switchFiles()();
    }
    files.write(note('a', 'last'));
    const sizes = await Promise.all(['0.rows', '1.rows'].map(async (name) => (await stat(join(folder, name))).size));
    expect(sizes[0]! + sizes[1]!).toBeLessThan(4_000);
    expect(await costs()).toEqual({ a: 'last' });
  });

  it('are read around damaged lines, and up to a last line that is cut at any byte', async () => {
    files.write(note('a', '1'));
    files.write(note('a', '2'));
    const name = join(folder, '0.rows');
    const whole = await readFile(name);
    const first = whole.indexOf(0x0a) + 1;
    for (let end = first; end < whole.length - 1; end++) {
      await writeFile(name, whole.subarray(0, end));
      expect(await costs()).toEqual({ a: '1' });
    }
    await appendFile(name, '\n');
    files.write(note('b', '3'));
    expect(await costs()).toEqual({ a: '1', b: '3' });
    const changed = whole.toString().replace('"cost":"1"', '"cost":"9"');
    await writeFile(name, changed);
    expect(await costs()).toEqual({ a: '2' });
    // Damaged bytes are returned line by line.
    expect((await NoteFiles.read(folder)).damaged.map(String)).toEqual([changed.slice(0, first)]);
  });

  it.each([0, 1, 40])('are whole behind one of which the disk took %d bytes', async (taken) => {
    let isFull = false;
    files.close();
    files = NoteFiles.create(folder, (descriptor, bytes) => {
      if (isFull && taken === 0) throw new Error('no space left');
      return writeSync(descriptor, isFull ? bytes.subarray(0, taken) : bytes);
    });
    files.write(note('a', '1'));
    isFull = true;
    expect(() => files.write(note('torn', '2'))).toThrow();
    isFull = false;
    files.write(note('b', '3'));
    expect(await costs()).toEqual({ a: '1', b: '3' });
    files.write(note('c', '4'));
    expect(await costs()).toEqual({ a: '1', b: '3', c: '4' });
    expect((await NoteFiles.read(folder)).damaged).toHaveLength(taken === 0 ? 0 : 1);
  });

  it('are refused by name where a file cannot be read', async () => {
    await rm(join(folder, '1.rows'));
    await mkdir(join(folder, '1.rows'));
    await expect(NoteFiles.read(folder)).rejects.toThrow(
      /notes\/1\.rows cannot be read \(it is no file\)\. It records/,
    );
  });

  it('are closed to other users, and empty at the start', async () => {
    files.write(note('a', '1'));
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const name of ['0.rows', '1.rows']) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    files.close();
    files = NoteFiles.create(folder);
    expect(await costs()).toEqual({});
  });
});
