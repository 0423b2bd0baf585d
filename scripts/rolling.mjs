// Restarts two replicas behind a stock proxy one by one under load: no request may be lost, and the key's usage must
// equal the sum of the replies' costs. `node scripts/rolling.mjs --proxy nginx|haproxy|caddy --requests 2000`, in a
// built checkout, with PostgreSQL at DATABASE_URL, where it creates and drops its own database, and Redis at REDIS_URL,
// or both on their local default ports. The proxy's file is the one in `deploy`, with other addresses. Exits with 1
// when anything was lost or it took too long, with 3 where it could not run.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { endWithParent } from './end-with-parent.mjs';
import { freePort } from './free-port.mjs';

endWithParent();

const ROOT = join(import.meta.dirname, '..');
const REPLICAS = 2;
/** Concurrent requests, with a pause between two: the load continues through all restarts. */
const CALLERS = 8;
const PAUSE_MS = 100;
const REQUEST_MS_MAX = 60_000;
const NOT_TRIED = 3;

/** Configuration from `deploy` and start of each proxy. */
const PROXIES = {
  nginx: {
    file: 'nginx/fairlead.conf',
    // Passive checks see only whether a port is open.
    hasHealthPort: true,
    make: (text, listen) =>
      `daemon off; pid ${folder}/nginx.pid; worker_processes 1; events {}\nhttp {\naccess_log off;\n` +
      ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${folder}/${of};\n`).join('') +
      `${text.replace('listen 8080', `listen 127.0.0.1:${listen}`)}}\n`,
    start: (file) => ['nginx', ['-c', file, '-p', folder, '-e', join(folder, 'nginx.log')]],
  },
  haproxy: {
    file: 'haproxy/haproxy.cfg',
    hasHealthPort: false,
    make: (text, listen) => text.replace('bind :8080', `bind 127.0.0.1:${listen}`),
    start: (file) => ['haproxy', ['-db', '-f', file]],
  },
  caddy: {
    file: 'caddy/Caddyfile',
    hasHealthPort: false,
    make: (text, listen) => `{\n\tadmin off\n}\n${text.replace(':8080 {', `http://127.0.0.1:${listen} {`)}`,
    start: (file) => ['caddy', ['run', '--adapter', 'caddyfile', '--config', file]],
  },
};

const { values: words } = parseArgs({
  options: {
    proxy: { type: 'string', default: 'nginx' },
    requests: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '300' },
  },
});
const proxy = PROXIES[words.proxy];
const requestsMin = Number(words.requests);
const server = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const redis = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379/7';
const folder = mkdtempSync(join(tmpdir(), 'fairlead-rolling-'));
const database = `fairlead_rolling_${process.pid}`;
const key = randomBytes(24).toString('hex');
const children = new Set();

/**
 * Rejects when the run has taken too long, or receives a signal: its processes and database are removed then as well.
 */
const cutShort = new Promise((_, reject) => {
  setTimeout(() => reject(new Error(`not over after ${words.seconds} s`)), Number(words.seconds) * 1000).unref();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => reject(new Error(signal)));
});

function start(program, parameters, env) {
  const child = spawn(program, parameters, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (child.tail = (child.tail + text).slice(-4000)));
  }
  child.ended = once(child, 'exit').finally(() => children.delete(child));
  children.add(child);
  return child;
}

const startReplica = ({ port, healthPort, name }) =>
  start(process.execPath, ['dist/main.js'], {
    PATH: process.env.PATH,
    PORT: String(port),
    ...(proxy.hasHealthPort && { FAIRLEAD_HEALTH_PORT: String(healthPort) }),
    DATABASE_URL: Object.assign(new URL(server), { pathname: `/${database}` }).href,
    REDIS_URL: redis,
    DATA_DIR: join(folder, name),
    FAIRLEAD_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    FAIRLEAD_API_KEY: key,
    FAIRLEAD_MANAGEMENT_KEY: `${key}-management`,
    FAIRLEAD_TRUST_PROXY: '127.0.0.1/32',
    FAIRLEAD_INITIAL_CREDITS: '1000',
    LOG_LEVEL: 'warn',
  });

async function becomesReady({ port, healthPort, child }) {
  const origin = `http://127.0.0.1:${proxy.hasHealthPort ? healthPort : port}`;
  for (;;) {
    const answer = await fetch(`${origin}/health/ready`).catch(() => undefined);
    if (answer?.ok) return;
    if (child.exitCode !== null) throw new Error(`a replica ended with ${child.exitCode}: ${child.tail}`);
    await sleep(100);
  }
}

/** Sends one request, whole or streamed. @returns its cost in USD */
async function ask(origin, number) {
  const stream = number % 2 === 1;
  // Some streams are long enough to overlap with a restart.
  const model = number % 50 === 25 ? 'sandbox/slow' : 'sandbox/echo';
  const response = await fetch(`${origin}/api/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, max_tokens: 64, messages: [{ role: 'user', content: `call ${number}` }] }),
    signal: AbortSignal.timeout(REQUEST_MS_MAX),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 200)}`);
  if (!stream) return JSON.parse(text).usage.cost;
  if (!text.endsWith('data: [DONE]\n\n')) throw new Error(`a stream was cut: ${text.slice(-100)}`);
  const costs = [...text.matchAll(/"cost":([\d.e-]+)/g)].map(([, cost]) => Number(cost));
  return costs.at(-1) ?? 0;
}

/** Starts the replicas and the proxy, and restarts one replica after the other under load. @returns the faults */
async function roll() {
  const replicas = [];
  for (let n = 0; n < REPLICAS; n++) {
    replicas.push({ port: await freePort(), healthPort: await freePort(), name: `replica-${n}` });
  }
  for (const replica of replicas) replica.child = startReplica(replica);
  await Promise.all(replicas.map(becomesReady));

  const listen = await freePort();
  const template = readFileSync(join(ROOT, 'deploy', proxy.file), 'utf8');
  const text = template.replace(/127\.0\.0\.1:878([78])/g, (_, n) => `127.0.0.1:${replicas[Number(n) - 7].port}`);
  const file = join(folder, 'proxy.conf');
  writeFileSync(file, proxy.make(text, listen));
  const balancer = start(...proxy.start(file), { PATH: process.env.PATH, HOME: folder });
  const origin = `http://127.0.0.1:${listen}`;
  for (;;) {
    const answer = await fetch(`${origin}/openapi.json`).catch(() => undefined);
    if (answer?.ok) break;
    if (balancer.exitCode !== null) throw new Error(`the proxy ended with ${balancer.exitCode}: ${balancer.tail}`);
    await sleep(100);
  }

  let isRolling = true;
  let next = 0;
  let spent = 0;
  const lost = [];
  const caller = async () => {
    while (isRolling || next < requestsMin) {
      const number = next++;
      await ask(origin, number).then(
        (cost) => (spent += cost),
        (error) => lost.push(`request ${number}: ${error.message}`),
      );
      await sleep(PAUSE_MS);
    }
  };
  const callers = Array.from({ length: CALLERS }, caller);
  for (const replica of replicas) {
    await sleep(1_000);
    replica.child.kill('SIGTERM');
    const [code] = await replica.child.ended;
    if (code !== 0) lost.push(`${replica.name} ended with ${code}: ${replica.child.tail}`);
    replica.child = startReplica(replica);
    await becomesReady(replica);
    console.log(`rolling: ${replica.name} was restarted, after ${next} requests, ${lost.length} of them lost`);
  }
  isRolling = false;
  await Promise.all(callers);

  await sleep(1_000);
  const status = await fetch(`${origin}/api/v1/key`, { headers: { authorization: `Bearer ${key}` } });
  const { usage } = (await status.json()).data;
  console.log(
    `rolling: ${words.proxy}, ${next} requests, ${lost.length} lost, ${REPLICAS} replicas restarted; ` +
      `${usage} USD used, ${spent.toFixed(6)} USD in the replies`,
  );
  if (lost.length > 0) lost.push(`the proxy's last words: ${balancer.tail}`);
  if (Math.abs(usage - spent) > 1e-9) lost.push('the usage of the key differs from the sum of the replies');
  return lost;
}

async function main() {
  if (!proxy || !(requestsMin > 0)) {
    console.log(`usage: rolling.mjs [--proxy ${Object.keys(PROXIES).join('|')}] [--requests N] [--seconds N]`);
    return 2;
  }
  if (spawnSync('sh', ['-c', `command -v ${words.proxy}`]).status !== 0) {
    console.log(`rolling: NOT RUN, there is no ${words.proxy} here`);
    return NOT_TRIED;
  }
  const admin = new pg.Client({ connectionString: server });
  const isThere = await admin.connect().then(
    () => true,
    () => false,
  );
  if (!isThere) {
    console.log('rolling: NOT RUN, no PostgreSQL answers here');
    return NOT_TRIED;
  }
  await admin.query(`create database ${database}`);
  try {
    const faults = await Promise.race([roll(), cutShort]);
    for (const fault of faults.slice(0, 20)) console.log(`rolling: ${fault}`);
    return faults.length === 0 ? 0 : 1;
  } catch (error) {
    console.log(`rolling: ${words.proxy}: ${error.message}`);
    return 1;
  } finally {
    // A proxy is ended by SIGTERM: nginx would otherwise leave its workers behind.
    for (const child of children) child.kill(child.spawnfile === words.proxy ? 'SIGTERM' : 'SIGKILL');
    await Promise.all([...children].map((child) => child.ended));
    await admin.query(`drop database if exists ${database} with (force)`);
    await admin.end();
  }
}

const code = await main().finally(() => rmSync(folder, { recursive: true, force: true }));
process.exit(code);
