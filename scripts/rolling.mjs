// Three replicas behind a stock proxy are restarted one by one under load: no request may be lost, and the key's usage
// must be the sum of what the replies say. `node scripts/rolling.mjs nginx|haproxy|caddy [requests]`, of a built
// checkout, with PostgreSQL at DATABASE_URL and Redis at REDIS_URL, or on their local default ports. The proxy's file
// is that of `deploy`, with other ports. Ends with 1 when anything was lost, with 3 where the proxy is not installed.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const ROOT = join(import.meta.dirname, '..');
const REPLICAS = 3;
/** Requests under way at once, and a pause of each between two, in milliseconds. */
const CALLERS = 8;
const PAUSE_MS = 60;
const READY_MS_MAX = 180_000;
const REQUEST_MS_MAX = 60_000;

const [proxyName = 'nginx', wanted = '2000'] = process.argv.slice(2);
const requestsMin = Number(wanted);
const server = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const redis = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379/7';
const folder = mkdtempSync(join(tmpdir(), 'fairlead-rolling-'));
const database = `fairlead_rolling_${process.pid}`;
const key = randomBytes(24).toString('hex');
const children = new Set();

/** How each proxy is made of its file in `deploy`, and started. */
const PROXIES = {
  nginx: {
    file: 'nginx/fairlead.conf',
    make: (text, listen) =>
      `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; worker_processes 1; events {}\n` +
      `http {\naccess_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;` +
      ` uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;\n${text.replace('listen 8080', `listen 127.0.0.1:${listen}`)}}\n`,
    start: (file) => ['nginx', ['-c', file, '-p', folder, '-e', join(folder, 'nginx.log')]],
  },
  haproxy: {
    file: 'haproxy/haproxy.cfg',
    make: (text, listen, health) =>
      text
        .replace('bind :8080', `bind 127.0.0.1:${listen}`)
        .replace(/^( {2}server \w+ [\d.]+:\d+)$/gm, () => '')
        .concat(
          ...health.map(({ port, healthPort }, n) => `  server r${n} 127.0.0.1:${port} check port ${healthPort}\n`),
        ),
    start: (file) => ['haproxy', ['-db', '-f', file]],
  },
  caddy: {
    file: 'caddy/Caddyfile',
    make: (text, listen) =>
      `{\n\tadmin off\n\tauto_https off\n}\n${text.replace(':8080 {', `http://127.0.0.1:${listen} {`)}`
        // Here health is asked at another port, which one replica's check cannot name for all: refusals tell.
        .replace(/^\t\thealth_.*\n/gm, ''),
    start: (file) => ['caddy', ['run', '--adapter', 'caddyfile', '--config', file]],
  },
};

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

function start(program, words, env = process.env) {
  const child = spawn(program, words, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
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
    FAIRLEAD_HEALTH_PORT: String(healthPort),
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

async function isReady({ healthPort }) {
  const giveUp = Date.now() + READY_MS_MAX;
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${healthPort}/health/ready`).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > giveUp) throw new Error('a replica did not become ready');
    await sleep(100);
  }
}

/** One request, whole or streamed. @returns what it cost, in USD */
async function ask(origin, number) {
  const stream = number % 2 === 1;
  const model = number % 10 === 5 ? 'sandbox/slow' : 'sandbox/echo';
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

async function main() {
  const proxy = PROXIES[proxyName];
  if (spawnSync('sh', ['-c', `command -v ${proxyName}`]).status !== 0) {
    console.log(`rolling: NOT TRIED, there is no ${proxyName} here`);
    return 3;
  }
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${database}`);
  try {
    const replicas = [];
    for (let n = 0; n < REPLICAS; n++) {
      replicas.push({ port: await freePort(), healthPort: await freePort(), name: `replica-${n}` });
    }
    for (const replica of replicas) replica.child = startReplica(replica);
    await Promise.all(replicas.map(isReady));

    const listen = await freePort();
    const template = readFileSync(join(ROOT, 'deploy', proxy.file), 'utf8');
    const ports = template.replace(/127\.0\.0\.1:878([789])/g, (_, n) => `127.0.0.1:${replicas[Number(n) - 7].port}`);
    const file = join(folder, 'proxy.conf');
    writeFileSync(file, proxy.make(ports, listen, replicas));
    const balancer = start(...proxy.start(file));
    const origin = `http://127.0.0.1:${listen}`;
    for (let tries = 0; ; tries++) {
      const answer = await fetch(`${origin}/openapi.json`).catch(() => undefined);
      if (answer?.ok) break;
      if (tries > 100) throw new Error(`the proxy does not answer: ${balancer.tail}`);
      await sleep(100);
    }

    let isRolling = true;
    let next = 0;
    const lost = [];
    let spent = 0;
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
      await isReady(replica);
      console.log(`rolling: ${replica.name} was restarted, after ${next} requests, ${lost.length} of them lost`);
    }
    isRolling = false;
    await Promise.all(callers);

    await sleep(1_000);
    const status = await fetch(`${origin}/api/v1/key`, { headers: { authorization: `Bearer ${key}` } });
    const { usage } = (await status.json()).data;
    const isExact = Math.abs(usage - spent) < 1e-9;
    for (const loss of lost.slice(0, 20)) console.log(`rolling: ${loss}`);
    console.log(
      `rolling: ${proxyName}, ${next} requests, ${lost.length} lost, ${REPLICAS} replicas restarted; ` +
        `${usage} USD used, ${isExact ? 'as' : `and not the ${spent} that`} the replies say`,
    );
    return lost.length === 0 && isExact ? 0 : 1;
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all([...children].map((child) => child.ended));
    await admin.query(`drop database if exists ${database} with (force)`);
    await admin.end();
  }
}

process.exitCode = await main().finally(() => rmSync(folder, { recursive: true, force: true }));
