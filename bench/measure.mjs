// Loads a system and reads its figures. CPU time is the operating system's own count of the process.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import { median } from './ratios.mjs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']).toString());

/** CPU seconds of a process, in user and kernel mode. Linux only. */
export function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory of a process in MiB. */
export function residentMiB(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

const SENTENCE = 'Write one paragraph about foxes and dogs, please. ';

/** @param bytes approximate size of the conversation; each turn has a kilobyte */
function bodyFor(system, name, stream, bytes = 500) {
  const turns = Math.max(1, Math.round(bytes / 1000) | 1);
  const text = SENTENCE.repeat(bytes < 1000 ? 10 : 20);
  const body = {
    model: system.model(name),
    max_tokens: 1024,
    ...(stream && { stream: true }),
    messages: Array.from({ length: turns }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: [{ type: 'text', text }],
    })),
  };
  return JSON.stringify(system.bodyOf?.(body) ?? body);
}

/** @param system `check`, where it has one, is called with the headers of each reply */
export function client(system, connections) {
  const { origin, pathname } = new URL(system.url);
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });
  const headers = { 'content-type': 'application/json', ...system.headers };
  const bodies = new Map();
  return {
    async send(name, stream, bytes) {
      // Made once, so that the client is not the bottleneck.
      const key = `${name} ${stream} ${bytes}`;
      if (!bodies.has(key)) bodies.set(key, Buffer.from(bodyFor(system, name, stream, bytes)));
      const response = await pool.request({ method: 'POST', path: pathname, headers, body: bodies.get(key) });
      const { statusCode, body } = response;
      let received = 0;
      for await (const chunk of body) received += chunk.length;
      if (statusCode !== 200) throw new Error(`${system.url} answered ${statusCode}`);
      system.check?.(response.headers);
      return received;
    },
    open: (name) => pool.request({ method: 'POST', path: pathname, headers, body: bodyFor(system, name, true) }),
    close: () => pool.destroy(),
  };
}

/** Sends `lanes` requests at a time for some seconds. CPU is counted from the first to the last of them. */
export async function load(system, name, { lanes, seconds, stream }) {
  const connection = client(system, lanes);
  const until = performance.now() + seconds * 1000;
  const cpuBefore = cpuSeconds(system.child.pid);
  const began = performance.now();
  let requests = 0;
  const lane = async () => {
    while (performance.now() < until) {
      await connection.send(name, stream);
      requests++;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const elapsed = (performance.now() - began) / 1000;
  const cpu = cpuSeconds(system.child.pid) - cpuBefore;
  await connection.close();
  return { requests, perSecond: requests / elapsed, busy: cpu / elapsed, cpuPerRequestUs: (cpu / requests) * 1e6 };
}

/** Sends this many requests, `lanes` at a time. @returns CPU of each, in microseconds */
export async function loadRequests(system, name, { lanes, requests, stream }) {
  const connection = client(system, lanes);
  const cpuBefore = cpuSeconds(system.child.pid);
  let left = requests;
  const lane = async () => {
    while (left-- > 0) await connection.send(name, stream);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const cpu = cpuSeconds(system.child.pid) - cpuBefore;
  await connection.close();
  return (cpu / requests) * 1e6;
}

/** Sends one request at a time; returns the milliseconds of each. */
export async function latencies(system, name, count) {
  const connection = client(system, 1);
  const times = [];
  for (let index = 0; index < count; index++) {
    const began = performance.now();
    await connection.send(name, false);
    times.push(performance.now() - began);
  }
  await connection.close();
  return times;
}

/** The offset of the event loop delay histogram, in milliseconds: the resolution of its timer. */
const LAG_RESOLUTION_MS = 10;

/** One request with a tool that the gateway runs, whole. @returns milliseconds, and the reply */
export async function useTool(system, name, tool, input) {
  const began = performance.now();
  const response = await fetch(system.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...system.headers },
    body: JSON.stringify({
      model: system.model(name),
      max_tokens: 1024,
      messages: [{ role: 'user', content: JSON.stringify(input) }],
      tools: [tool],
    }),
  });
  const reply = await response.json();
  if (response.status !== 200) throw new Error(`${system.url} answered ${response.status}: ${JSON.stringify(reply)}`);
  return { ms: performance.now() - began, reply };
}

/** The longest delay of the event loop during some work, in milliseconds. */
export async function lagDuring(system, work) {
  const { origin } = new URL(system.url);
  await longestLag(origin);
  await work();
  return longestLag(origin);
}

/** The longest delay of a gateway's event loop since the last call, in milliseconds, by its own metrics. */
async function longestLag(origin) {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  const longest = Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics)[1]) * 1000;
  return Math.max(0, longest - LAG_RESOLUTION_MS);
}

/**
 * During a request of about `bytes`: the longest wait for an answer that needs only the event loop, and the longest
 * delay of the event loop itself, in milliseconds; the median and the worst of `count` requests. The waits include
 * those of the machine, whose kernel transfers the body at the same time.
 */
export async function longestWaitsBeside(system, bytes, count) {
  const { origin } = new URL(system.url);
  const large = client(system, 1);
  // Warm-up: the first requests include compilation.
  for (let index = 0; index < 5; index++) await large.send('whole', false, bytes);
  const probe = new Worker(new URL('./probe.mjs', import.meta.url), { workerData: { origin, path: '/health/live' } });
  const longestWait = async () => {
    probe.postMessage('how long');
    const [wait] = await once(probe, 'message');
    return wait;
  };
  const waits = [];
  const lags = [];
  for (let index = 0; index < count; index++) {
    // Resets the figures: the probe's connection and the metrics do not count.
    await Promise.all([longestLag(origin), longestWait()]);
    await longestWait();
    await large.send('whole', false, bytes);
    waits.push(await longestWait());
    lags.push(await longestLag(origin));
  }
  await probe.terminate();
  await large.close();
  const summary = (values) => ({ median: median(values), worst: Math.max(...values) });
  return { waits: summary(waits), lags: summary(lags) };
}

/** Memory before and with `count` streams open and silent. */
export async function openStreams(system, count) {
  const connection = client(system, count);
  const before = residentMiB(system.child.pid);
  const bodies = [];
  for (let index = 0; index < count; index += 50) {
    const batch = await Promise.all(Array.from({ length: Math.min(50, count - index) }, () => connection.open('hold')));
    for (const { body } of batch) {
      body.on('error', () => undefined);
      bodies.push(body);
    }
  }
  const during = residentMiB(system.child.pid);
  for (const body of bodies) body.destroy();
  await connection.close();
  return { before, during };
}
