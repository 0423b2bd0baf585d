/**
 * A copy of the embedded store that is made while the gateway works is a complete store: a gateway on it knows the
 * keys, reads the credentials and has an exact ledger; what cannot be copied is refused in one line and leaves nothing.
 * Gateways are processes that get requests without a pause while they are copied, are killed, and are started on the
 * copies.
 */
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBackup } from '../../src/shared/database/backup/backup-command.js';
import { backupAddress } from '../../src/shared/database/backup/backup-port.js';
import { openStore } from '../../src/shared/database/transfer/open-store.js';
import { MIGRATIONS } from '../../src/shared/database/migrations.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { MANAGEMENT_KEY } from '../support/app.js';
import { expectUsage, outputOf, type CommandOutput } from '../support/command-output.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { copyPreparedStore } from '../support/prepared-store.js';

const SPEC_MS = 180_000;
/** Without the variable, so that the gateway generates the encryption key: a copy must contain it to be read. */
const VARIABLES = { FAIRLEAD_ENCRYPTION_KEYS: '' };
const BODY = { model: 'sandbox/echo', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };

let folder: string;
let dataDir: string;
const running: GatewayProcess[] = [];

async function makeStore(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-backup-'));
  dataDir = join(folder, 'data');
  await copyPreparedStore(dataDir);
}
async function removeStore(): Promise<void> {
  await Promise.all(running.splice(0).map((gateway) => gateway.kill()));
  await rm(folder, { recursive: true, force: true });
}

async function start(directory = dataDir): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.start(directory, VARIABLES);
  running.push(gateway);
  return gateway;
}

const backUp = (
  words: readonly string[],
  variables: NodeJS.ProcessEnv = {},
  signal?: AbortSignal,
): Promise<CommandOutput> =>
  outputOf(runBackup, {
    words,
    variables: { DATA_DIR: dataDir, ...variables },
    workingDirectory: folder,
    ...(signal && { signal }),
  });

async function ask<T>(gateway: GatewayProcess, path: string, body?: object): Promise<T> {
  const response = await fetch(`${gateway.origin}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect([200, 201]).toContain(response.status);
  return (await response.json()) as T;
}

/** Number of generations in a directory without a running gateway, whose ledger must be exact. */
async function countIn(directory: string): Promise<number> {
  const store = await openStore({ dataDir: directory }, MIGRATIONS);
  try {
    expect((await verifyLedger(store)).differences).toEqual([]);
    const [{ count }] = await store.query('select count(*)::int as count from generations');
    return count as number;
  } finally {
    await store.destroy();
  }
}

async function isGivenUp(gateway?: GatewayProcess): Promise<void> {
  const stop = new AbortController();
  const copying = backUp(['--out', 'copy'], {}, stop.signal);
  const isBegun = async (): Promise<boolean> => (await readdir(folder)).some((name) => name.startsWith('.copy-'));
  while (!(await isBegun())) await new Promise((resolve) => setTimeout(resolve, 1));
  stop.abort(new Error('stopped by SIGINT'));
  expect(await copying).toMatchObject({ code: 1, out: '', error: 'data:backup: stopped by SIGINT\n' });
  while (await isBegun()) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(await readdir(folder)).toEqual(['data']);
  if (gateway) expect((await gateway.messages(BODY)).status).toBe(200);
  expect(await backUp(['--out', 'copy'])).toMatchObject({ code: 0 });
}

describe('a store', () => {
  beforeEach(makeStore);
  afterEach(removeStore);

  it('copies a store that is in use, and is one', async () => {
    const gateway = await start();
    const credential = { provider: 'anthropic', key: 'sk-ant-backup-0123456789', name: 'of before' };
    const { data: stored } = await ask<{ data: { id: string } }>(gateway, '/byok', credential);
    const { data: key } = await ask<{ data: { hash: string } }>(gateway, '/keys', { name: 'of before' });
    expect((await gateway.messages(BODY)).status).toBe(200);
    let isOver = false;
    let answered = 0;
    const requests = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const response = await gateway.messages(BODY);
        await response.text();
        // On a slow disk statements wait longer than requests do.
        expect([200, 503]).toContain(response.status);
        if (response.ok) answered++;
      }
    });
    const out = join(folder, 'copy');
    const copied = await backUp(['--out', out]);
    expect(copied).toMatchObject({ code: 0, error: '' });
    expect(copied.out).toMatch(/^Copied \d{3,} files, \d{7,} bytes, to .*copy\.\n$/);
    const answeredThen = answered;
    // Later writes do not touch the copy.
    while (answered < answeredThen + 4) await new Promise((resolve) => setTimeout(resolve, 20));
    isOver = true;
    await Promise.all(requests);
    await gateway.stop();

    expect((await stat(out)).mode & 0o777).toBe(0o700);
    expect((await readdir(folder)).toSorted()).toEqual(['copy', 'data']);
    expect((await readdir(out)).toSorted()).toEqual(['database', 'encryption-keys', 'notes', 'spool']);
    const restored = await start(out);
    expect((await restored.messages(BODY)).status).toBe(200);
    expect(await ask(restored, `/keys/${key.hash}`)).toMatchObject({ data: { name: 'of before' } });
    expect(await ask(restored, `/byok/${stored.id}`)).toMatchObject({ data: { name: 'of before' } });
    expect(restored.written).not.toMatch(/cannot be decrypted|undecryptable/i);
    await restored.stop();
    // What was open at that moment is recovered, and counts as well.
    const count = await countIn(out);
    expect(count).toBeGreaterThan(1);
    expect(count).toBeLessThanOrEqual(answeredThen + 1 + 4 + 1);
    expect(await countIn(dataDir)).toBeGreaterThanOrEqual(answered + 1);
  }, SPEC_MS); // oxfmt-ignore

  it('copies a store without a gateway, and one whose gateway was killed', async () => {
    const gateway = await start();
    expect((await gateway.messages(BODY)).status).toBe(200);
    expect(((await stat(backupAddress(dataDir)!)).mode & 0o777).toString(8)).toBe('600');
    await gateway.kill();
    expect(await backUp(['--out', 'killed'])).toMatchObject({ code: 0, error: '' });
    const again = await start();
    await again.stop();
    await expect(stat(backupAddress(dataDir)!)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await backUp(['--out', 'stopped'], { INIT_CWD: join(folder, 'data') })).toMatchObject({ code: 0, error: '' });
    expect([await countIn(join(folder, 'killed')), await countIn(join(dataDir, 'stopped'))]).toEqual([1, 1]);
  }, SPEC_MS); // oxfmt-ignore

  it('copies what waits beside the database, and no lock', async () => {
    await mkdir(join(dataDir, 'notes'), { recursive: true });
    await writeFile(join(dataDir, 'notes', '0.rows'), 'noted');
    await mkdir(join(dataDir, 'spool'), { recursive: true });
    for (const name of ['a.b.rows', 'a.lock', 'a.lock.nonce']) await writeFile(join(dataDir, 'spool', name), name);
    expect(await backUp(['--out', 'copy'])).toMatchObject({ code: 0 });
    expect(await readFile(join(folder, 'copy', 'notes', '0.rows'), 'utf8')).toBe('noted');
    expect(await readdir(join(folder, 'copy', 'spool'))).toEqual(['a.b.rows']);
  }, SPEC_MS); // oxfmt-ignore

  it('is stopped by a signal while the store is unused, and leaves nothing', () => isGivenUp(), SPEC_MS);

  it('makes no socket where the path is too long for one, and reports that', async () => {
    const long = join(folder, 'd'.repeat(110));
    await copyPreparedStore(long);
    const gateway = await start(long);
    expect(gateway.written).toContain('Without backups while it runs: the path of DATA_DIR is too long for a socket in it.');
    expect((await readdir(long)).filter((name) => name.endsWith('.sock'))).toEqual([]);
    expect((await readdir(folder)).toSorted()).toEqual(['data', 'd'.repeat(110)].toSorted());
    expect(await backUp(['--out', 'copy'], { DATA_DIR: long })).toMatchObject({ code: 1, error: expect.stringContaining('is in use by') }); // oxfmt-ignore
    await gateway.stop();
    expect(await backUp(['--out', 'copy'], { DATA_DIR: long })).toMatchObject({ code: 0 });
  }, SPEC_MS); // oxfmt-ignore
});

describe('a backup of the store of a running gateway', () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    await makeStore();
    gateway = await start();
  }, SPEC_MS);
  // Whatever a test leaves, the next one begins with the store alone.
  afterEach(async () => {
    const others = (await readdir(folder)).filter((name) => name !== 'data');
    await Promise.all(others.map((name) => rm(join(folder, name), { recursive: true, force: true })));
  });
  afterAll(removeStore);

  it('is stopped by a signal while a gateway runs, and leaves nothing', () => isGivenUp(gateway), SPEC_MS);

  it('leaves the gateway intact after an invalid request', async () => {
    for (const words of ['\n', '{"out":1}\n', '{"out":""}\n', '{"out":"here"}\n', 'x'.repeat(100_000), '{"out":"']) {
      const socket = connect(backupAddress(dataDir)!).on('error', () => undefined);
      socket.end(words);
      await new Promise((resolve) => socket.resume().once('close', resolve));
    }
    const silent = connect(backupAddress(dataDir)!);
    const gone = connect(backupAddress(dataDir)!).once('connect', () => gone.destroy());
    await new Promise((resolve) => silent.resume().once('close', resolve));
    expect((await gateway.messages(BODY)).status).toBe(200);
    expect(gateway.written).not.toMatch(/unhandledRejection|ERR_STREAM_PREMATURE_CLOSE/);
  }, SPEC_MS); // oxfmt-ignore

  // The last test, because it ends the gateway.
  it('is refused in one line, and leaves nothing', async () => {
    const isRefused = async (words: string, reason: string, variables = {}): Promise<void> => {
      const refused = await backUp(['--out', words], variables);
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.error).toMatch(/^data:backup: [^\n]*\n$/);
      expect(refused.error).toContain(reason);
    };
    await mkdir(join(folder, 'there'));
    await writeFile(join(folder, 'file'), '');
    await isRefused('there', 'already exists');
    await isRefused('nowhere/copy', 'cannot be made (ENOENT)');
    await isRefused('file/copy', 'cannot be made (ENOTDIR)');
    await isRefused('copy', 'pg_dump', { DATABASE_URL: 'postgres://u:p@db.test/x', FAIRLEAD_ENCRYPTION_KEYS: `a:${Buffer.alloc(32).toString('base64')}` }); // oxfmt-ignore
    await isRefused('data/database/copy', 'is within the database itself');
    await isRefused('data/database/base/copy', 'is within the database itself');
    await isRefused('copy', 'contains no database', { DATA_DIR: 'elsewhere' });
    await gateway.stop();
    await isRefused('there', 'already exists');
    await isRefused('nowhere/copy', 'cannot be made (ENOENT)');
    expect((await readdir(folder)).toSorted()).toEqual(['data', 'file', 'there']);
    await expectUsage(runBackup, 'npm run data:backup -- --out FOLDER');
    expect((await backUp(['--out', ''])).code).toBe(2);
  }, SPEC_MS); // oxfmt-ignore
});
