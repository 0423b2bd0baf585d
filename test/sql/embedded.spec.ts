// The embedded database survives kills, is never opened twice, and never loses or overwrites what it did not make. Real
// directories; lock owners are real child processes that are killed; the engine comes from outside the sandbox.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { lockDirectory } from '../../src/shared/database/directory-lock.js';
import { DirectoryOpener, EmbeddedOpener, STORE_VERSION } from '../../src/shared/database/embedded.js';
import { databaseOptions } from '../../src/shared/database/options.js';
import { identifySelf } from '../../src/shared/database/process-identity.js';
import { StoreRefused } from '../../src/shared/database/store-refused.js';

let directory: string;
const started: ChildProcess[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-embedded-'));
});

afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

/** A living process that does nothing, and its description in the lock. */
async function startStranger(): Promise<{ child: ChildProcess; pid: number; startedAt: string }> {
  const child = spawn(process.execPath, ['-e', 'console.log("up"); process.stdin.resume()'], { stdio: 'pipe' });
  started.push(child);
  await once(child.stdout, 'data');
  const pid = child.pid!;
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(') ')[1]?.split(' ') ?? [];
  return { child, pid, startedAt: fields[19] ?? '' };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

describe('the lock of the data directory', () => {
  const lockPath = () => join(directory, 'lock');
  const holderOf = async () => JSON.parse(await readFile(lockPath(), 'utf8')) as { pid: number; nonce: string };

  async function writeLock(content: object | string, path = lockPath()): Promise<void> {
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  }

  it('refuses a second owner while the first lives, names it, and explains what to do', async () => {
    const { pid, startedAt } = await startStranger();
    await writeLock({ ...(await identifySelf()), pid, startedAt: startedAt || null, nonce: 'first' });
    const refused = lockDirectory(lockPath());
    await expect(refused).rejects.toThrow(StoreRefused);
    await expect(refused).rejects.toThrow(new RegExp(`pid ${pid}.*DATA_DIR.*DATABASE_URL`));
    expect((await holderOf()).nonce).toBe('first');
  });

  it('takes over the lock of an owner that was killed', async () => {
    const { child, pid, startedAt } = await startStranger();
    await writeLock({ ...(await identifySelf()), pid, startedAt: startedAt || null, nonce: 'first' });
    await expect(lockDirectory(lockPath())).rejects.toThrow(StoreRefused);
    await kill(child);
    const lock = await lockDirectory(lockPath());
    expect((await holderOf()).pid).toBe(process.pid);
    expect(await readdir(directory)).toEqual(['lock']);
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
  });

  it('takes over from a dead owner whose process id belongs to another process now', async () => {
    await writeLock({ ...(await identifySelf()), startedAt: '1', nonce: 'first' });
    await (await lockDirectory(lockPath())).release();
  });

  it('refuses this process a second time', async () => {
    const lock = await lockDirectory(lockPath());
    await expect(lockDirectory(lockPath())).rejects.toThrow(StoreRefused);
    await lock.release();
    await (await lockDirectory(lockPath())).release();
  });

  it('lets one of several concurrent processes take over a dead lock', async () => {
    for (let round = 0; round < 20; round++) {
      await writeLock({ ...(await identifySelf()), startedAt: '1', nonce: `dead-${round}` });
      const tries = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(lockPath())));
      const won = tries.filter((result) => result.status === 'fulfilled');
      expect(won).toHaveLength(1);
      await won[0]!.value.release();
      expect(await readdir(directory)).toEqual([]);
    }
  });

  it('takes over when a successor died in the middle of it', async () => {
    const self = await identifySelf();
    await writeLock({ ...self, startedAt: '1', nonce: 'first' });
    await writeLock({ ...self, startedAt: '1', nonce: 'second' }, `${lockPath()}.first`);
    const lock = await lockDirectory(lockPath());
    expect(await readdir(directory)).toEqual(['lock']);
    await lock.release();
  });

  it('refuses while a living successor is in the middle of it', async () => {
    const self = await identifySelf();
    const { pid, startedAt } = await startStranger();
    await writeLock({ ...self, startedAt: '1', nonce: 'first' });
    await writeLock({ ...self, pid, startedAt: startedAt || null, nonce: 'second' }, `${lockPath()}.first`);
    await expect(lockDirectory(lockPath())).rejects.toThrow(`pid ${pid}`);
  });

  it('takes over from a process in another container only after its silence', async () => {
    // Every container has a process 1: its id identifies nothing here.
    await writeLock({ pid: process.pid, startedAt: null, place: 'elsewhere', nonce: 'first' });
    await (await lockDirectory(lockPath(), 1)).release();
  });

  it('refuses while a process in another container sends heartbeats', async () => {
    const path = JSON.stringify(lockPath());
    await writeLock({ pid: 1, startedAt: null, place: 'elsewhere', nonce: 'first' });
    const beating = `setInterval(() => fs.utimesSync(${path}, new Date(), new Date()), 5); console.log('up')`;
    const child = spawn(process.execPath, ['-e', beating], { stdio: 'pipe' });
    started.push(child);
    await once(child.stdout, 'data');
    await expect(lockDirectory(lockPath())).rejects.toThrow('pid 1)');
  });

  it.each(['', '{', '{"pid":1,"place":"x","nonce":"../../x"}', 'null', '[]'])(
    'takes over after its silence a lock that reads %j: its holder died before it had written its name',
    async (content) => {
      await writeLock(content);
      const lock = await lockDirectory(lockPath(), 1);
      expect(await readdir(directory)).toEqual(['lock']);
      await lock.release();
    },
  );
});

describe('the embedded database', () => {
  const opener = () => new DirectoryOpener(globalThis.__ENGINE__);
  const databasePath = () => join(directory, 'database');
  // One initialisation serves all tests: it takes seconds.
  let root: string;
  let original: string;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'fairlead-original-'));
    original = join(root, 'not', 'there');
    await (await opener().open(original)).close();
  }, 240_000);
  afterAll(() => rm(root, { recursive: true, force: true }));

  async function useCopy(): Promise<void> {
    await promisify(execFile)('cp', ['-r', join(original, 'database'), databasePath()]);
  }

  async function connect(where: EmbeddedOpener = opener()): Promise<DataSource> {
    return new DataSource(databaseOptions({ databasePool: 1 }, await where.open(directory))).initialize();
  }

  it('is made, with its missing directory, closed to other users, and leaves nothing else behind', async () => {
    expect((await stat(original)).mode & 0o777).toBe(0o700);
    expect((await readdir(original)).sort()).toEqual(['database']);
    expect((await stat(join(original, 'database'))).mode & 0o777).toBe(0o700);
    expect(await readFile(join(original, 'database', 'VERSION'), 'utf8')).toBe(`${STORE_VERSION}\n`);
  });

  it('logs what a slow first start waits for', async () => {
    const logged: string[] = [];
    const note = (message: string): void => void logged.push(message);
    Logger.overrideLogger({ log: note, warn: note, error: note });
    try {
      const path = join(directory, 'slow');
      const slow = new DirectoryOpener(globalThis.__ENGINE__, 0);
      await (await slow.open(path)).close();
      await (await slow.open(path)).close();
      expect(logged).toEqual([expect.stringContaining(`makes the embedded database in ${join(path, 'database')}`)]);
    } finally {
      Logger.overrideLogger(false);
    }
  }, 240_000);

  it('stores what was written, returns exact numbers as text, and unlocks when its DataSource is destroyed', async () => {
    await useCopy();
    const first = await connect();
    await first.query('create table kept (id bigint, amount numeric(38,12))');
    await first.query('insert into kept values (9007199254740993, 12345678901234567890.123456789012)');
    expect(await readdir(directory)).toContain('lock');
    await first.destroy();
    expect(await readdir(directory)).toEqual(['database']);

    const second = await connect();
    expect(await second.query('select * from kept')).toEqual([
      { id: '9007199254740993', amount: '12345678901234567890.123456789012' },
    ]);
    await second.destroy();
  });

  it('does not mix concurrent transactions', async () => {
    await useCopy();
    const dataSource = await connect();
    await dataSource.query('create table counter (value integer)');
    await dataSource.query('insert into counter values (0)');
    const increment = () =>
      dataSource.transaction(async (manager) => {
        const [{ value }] = await manager.query<[{ value: number }]>('select value from counter');
        await manager.query('update counter set value = $1', [value + 1]);
      });
    await Promise.all(Array.from({ length: 40 }, increment));
    expect(await dataSource.query('select value from counter')).toEqual([{ value: 40 }]);
    await dataSource.destroy();
  });

  it('ends what a dropped connection left open', async () => {
    await useCopy();
    const dataSource = await connect();
    const broken = dataSource.createQueryRunner();
    await broken.startTransaction();
    await broken.query('create table half_done (id integer)');
    const client = (await broken.connect()) as { emit(event: 'error', error: Error): void };
    client.emit('error', new Error('the connection broke'));
    expect(await dataSource.query(`select to_regclass('half_done') as found`)).toEqual([{ found: null }]);
    await dataSource.destroy();
  });

  it('starts over where an earlier start was not finished', async () => {
    await useCopy();
    await rename(databasePath(), join(directory, 'database.new-killed'));
    await rm(join(directory, 'database.new-killed', 'PG_VERSION'));
    const database = await opener().open(directory);
    expect(await readdir(databasePath())).toContain('PG_VERSION');
    await database.close();
    expect(await readdir(directory)).toEqual(['database']);
  }, 240_000);

  it.each([
    ['a newer version', { VERSION: `${STORE_VERSION + 1}\n` }, /newer release/],
    ['an unreadable version', { VERSION: 'one' }, /VERSION reads "one"/],
    ['an older version than there ever was', { VERSION: '0' }, /VERSION reads "0"/],
    ['no version', { VERSION: null }, /not a complete database/],
    ['no cluster inside', { PG_VERSION: null }, /not a complete database/],
  ])('refuses a directory with %s, and leaves it as it is', async (_, change, message) => {
    await useCopy();
    for (const [file, content] of Object.entries(change)) {
      if (content === null) await rm(join(databasePath(), file));
      else await writeFile(join(databasePath(), file), content);
    }
    const before = await readdir(databasePath());
    const refused = opener().open(directory);
    await expect(refused).rejects.toThrow(StoreRefused);
    await expect(refused).rejects.toThrow(message);
    expect(await readdir(databasePath())).toEqual(before);
    expect(await readdir(directory)).toEqual(['database']);
  });

  it('refuses an unusable data directory, naming the variable', async () => {
    await writeFile(join(directory, 'file'), '');
    await expect(opener().open(join(directory, 'file', 'data'))).rejects.toThrow(/DATA_DIR/);
  });
});
