import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;
/** In the name of an unfinished folder: the worker that makes it, before the suffix of `mkdtemp`. */
const MAKER = /\.(\d+)-\w{6}$/;
/** Codes of `rename` where another worker was faster. */
const IS_THERE: ReadonlySet<unknown> = new Set(['EEXIST', 'ENOTEMPTY']);

/**
 * Makes a folder that all workers share, once: the others wait for the one that makes it.
 * @param make fills the empty folder that it gets, which is renamed at the end
 */
export async function makeSharedFolder(target: string, make: (unfinished: string) => Promise<void>): Promise<string> {
  await mkdir(dirname(target), { recursive: true });
  const claim = `${target}.claim`;
  while (!existsSync(target)) {
    if (await isClaimed(claim)) await makeClaimed(target, claim, make);
    else if (await isAbandoned(claim)) await rm(claim, { force: true });
    else await delay(POLL_MS);
  }
  return target;
}

async function makeClaimed(target: string, claim: string, make: (unfinished: string) => Promise<void>): Promise<void> {
  await removeAbandoned(target);
  const unfinished = await mkdtemp(`${target}.${process.pid}-`);
  try {
    // Made between the look and the claim.
    if (existsSync(target)) return;
    await make(unfinished);
    await rename(unfinished, target).catch((error: NodeJS.ErrnoException) => {
      if (!IS_THERE.has(error.code)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
    await rm(claim, { force: true });
  }
}

/** @returns whether this worker has written the claim */
async function isClaimed(claim: string): Promise<boolean> {
  try {
    const file = await open(claim, 'wx');
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether the worker that claimed it was killed. */
async function isAbandoned(claim: string): Promise<boolean> {
  const maker = Number(await readFile(claim, 'utf8').catch(() => ''));
  return maker > 0 && !isAlive(maker);
}

/** Only folders of killed workers: two may make the same one, if a claim was abandoned. */
async function removeAbandoned(target: string): Promise<void> {
  const folder = dirname(target);
  const begun = (await readdir(folder)).filter((name) => name.startsWith(`${basename(target)}.`));
  const abandoned = begun.filter((name) => !isAlive(Number(MAKER.exec(name)?.[1] ?? process.pid)));
  await Promise.all(abandoned.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
