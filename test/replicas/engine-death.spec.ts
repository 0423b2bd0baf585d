/**
 * A gateway whose embedded engine dies reports why, is not ready from that moment on, ends in order with an exit code
 * that has it restarted, and loses no money; on a disk that is still full the start reports that in a sentence. The
 * engine needs more log than fits on the disk: on a small disk of the test's own, where the system permits mounting
 * one, and with an engine that reports it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { mkdtemp, open, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, catalogOf } from '../support/app.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { copyPreparedStore } from '../support/prepared-store.js';
import { sse } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask, askStream, delta, END, gate, OPEN } from '../http/messages-bench.js';

const MODEL = 'test/native';
const MiB = 1024 * 1024;
/** USD of the stream: three tokens in and five out. */
const STREAM_USD = (3 * 3 + 5 * 15) / 1e6;
const PRELOADED = join(__dirname, '..', 'support', 'engine-death.mjs');

let directory: string;
let upstream: Upstream;
let variables: NodeJS.ProcessEnv;
const started: GatewayProcess[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-death-'));
  upstream = await startUpstream('anthropic');
  const catalog = join(directory, 'catalog.json');
  await writeFile(
    catalog,
    JSON.stringify(catalogOf({ id: MODEL, at: [{ url: upstream.url, dialect: 'anthropic-messages' }] })),
  );
  variables = {
    FAIRLEAD_CATALOG: catalog,
    FAIRLEAD_INITIAL_CREDITS: '100',
    NODE_OPTIONS: `--import ${PRELOADED}`,
  };
});
afterEach(async () => {
  for (const gateway of started.splice(0)) await gateway.kill();
  await upstream.close();
  await rm(directory, { recursive: true, force: true });
});

async function start(dataDir: string, more: NodeJS.ProcessEnv = {}): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.start(dataDir, { ...variables, ...more });
  started.push(gateway);
  return gateway;
}

async function until<T>(what: string, find: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`Not within 30 s: ${what}.`);
    await sleep(20);
  }
}

const readiness = (gateway: GatewayProcess): Promise<Response> => fetch(`${gateway.origin}/health/ready`);

/** Makes a gateway's engine die while a stream is open. @returns the stream's generation */
async function dies(gateway: GatewayProcess): Promise<string> {
  const { opened, open: goOn } = gate();
  upstream.script(sse([OPEN + delta('forty characters are ten tokens or so...'), opened, END]));
  const reply = await gateway.messages(askStream(MODEL));
  const text = reply.text();
  gateway.signal('SIGUSR2');
  const refused = await until('it is not ready', async () => {
    const answer = await readiness(gateway);
    return answer.status === 503 ? answer : undefined;
  });
  expect(await refused.json()).toMatchObject({
    status: 'unavailable',
    checks: { database: { ready: false, detail: 'ended' } },
  });
  const answer = await gateway.messages(ask(MODEL));
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
  goOn();
  expect(await text).toContain('message_stop');
  expect(await gateway.exitCode()).toBe(1);
  expect(gateway.written).toMatch(/The embedded database has ended: PANIC: could not .*: No space left on device/);
  return reply.headers.get('x-generation-id')!;
}

/** Starts again, and finds the stream charged as reported. */
async function restartsAndCharges(dataDir: string, id: string): Promise<void> {
  const gateway = await start(dataDir);
  upstream.script(anthropicText('here again'));
  expect((await gateway.messages(ask(MODEL))).status).toBe(200);
  const row = await until('it is settled', async () => {
    const answer = await fetch(`${gateway.origin}/api/v1/generation?id=${id}`, {
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    return answer.status === 200 ? ((await answer.json()) as { data: { total_cost: number } }) : undefined;
  });
  expect(row.data.total_cost).toBeCloseTo(STREAM_USD, 12);
}

it('ends, and continues when it is restarted, without a cent lost', async () => {
  const dataDir = join(directory, 'data');
  await copyPreparedStore(dataDir);
  await restartsAndCharges(dataDir, await dies(await start(dataDir, { ENGINE_DEATH: 'reported' })));
}, 240_000);

/** A disk of so many bytes. @returns removes it. @throws where the system does not permit it */
function mount(path: string, bytes: number): () => void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path], { stdio: 'ignore' });
  return () => void execFileSync('umount', ['-l', path]);
}

/** Only root may mount, and not in every container; a reporting engine is tested above in any case. */
function mayMount(): boolean {
  const disk = mkdtempSync(join(tmpdir(), 'fairlead-disk-'));
  try {
    mount(disk, MiB)();
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(disk);
  }
}

/** Fills a disk except for so many bytes. */
async function fill(path: string, left: number): Promise<string> {
  const name = join(path, `filler-${Date.now()}`);
  const file = await open(name, 'w');
  for (const piece of [Buffer.alloc(MiB), Buffer.alloc(4096)]) {
    for (;;) {
      const { bavail, bsize } = await statfs(path);
      if (bavail * bsize - left < piece.length) break;
      await file.write(piece);
    }
  }
  await file.close();
  return name;
}

(mayMount() ? it : it.skip)(
  'does so on a full disk, and reports in a sentence that it still is',
  async () => {
    const disk = await mkdtemp(join(tmpdir(), 'fairlead-disk-'));
    const unmount = mount(disk, 160 * MiB);
    try {
      const dataDir = join(disk, 'data');
      const gateway = await start(dataDir);
      const fillers = [await fill(disk, 2 * MiB)];
      const id = await dies(gateway);

      fillers.push(await fill(disk, 0));
      const refused = await start(dataDir).then(
        () => 'it started',
        (error: unknown) => (error as Error).message,
      );
      const [, ...lines] = refused.trim().split('\n');
      expect(lines.filter((line) => !line.startsWith('{'))).toEqual([
        expect.stringMatching(
          /(cannot be opened: its disk has|The disk of DATA_DIR).*Free some space there and start again\.$/,
        ),
      ]);

      for (const filler of fillers) await rm(filler);
      await restartsAndCharges(dataDir, id);
      for (const one of started.splice(0)) await one.kill();
    } finally {
      unmount();
      await rm(disk, { recursive: true, force: true });
    }
  },
  240_000,
);
