// What workers share is made once: one makes it and the others wait, a failure leaves nothing, and what a killed worker
// had begun is made again. Real folders; the killed worker is a process that has ended.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSharedFolder } from './shared-folder.js';

let folder: string;
let target: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-made-once-'));
  target = join(folder, 'shared');
});
afterEach(() => rm(folder, { recursive: true }));

const write = (unfinished: string): Promise<void> => writeFile(join(unfinished, 'file'), 'made');
const made = async (): Promise<unknown> => [await readdir(folder), await readFile(join(target, 'file'), 'utf8')];

it('is made by one of those who need it at the same time', async () => {
  const make = jest.fn(write);
  expect(await Promise.all([1, 2, 3].map(() => makeSharedFolder(target, make)))).toEqual([target, target, target]);
  expect(await makeSharedFolder(target, make)).toBe(target);
  expect(make).toHaveBeenCalledTimes(1);
  expect(await made()).toEqual([['shared'], 'made']);
});

it('leaves nothing of a failure, and is made by the next', async () => {
  await expect(makeSharedFolder(target, () => Promise.reject(new Error('no space')))).rejects.toThrow('no space');
  expect(await readdir(folder)).toEqual([]);
  await makeSharedFolder(target, write);
  expect(await made()).toEqual([['shared'], 'made']);
});

it('is made again where the worker that had begun was killed', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  await writeFile(`${target}.claim`, String(pid));
  await mkdir(`${target}.${pid}-abcdef`);
  await makeSharedFolder(target, write);
  expect(await made()).toEqual([['shared'], 'made']);
});
