// A realistic load: many concurrent streams whose events come one by one. Each run ends by itself, with its streams.
import { setTimeout as sleep } from 'node:timers/promises';
import { client, cpuSeconds } from './measure.mjs';

const SENT = /sent=(\d+);/g;

/**
 * This many concurrent streams, each read to its end; opened over `openingMs`, since callers do not all arrive in the
 * same millisecond.
 * @returns CPU of the system for each event, in microseconds, including all of the requests, and the delay of the
 * latest event from the upstream's write to its arrival here, in milliseconds
 */
export async function pacedLoad(system, { streams, events, intervalMs, openingMs }) {
  const connection = client(system, streams);
  const name = `paced-${events}-${intervalMs}`;
  let received = 0;
  let latestNs = 0n;
  const read = async (index) => {
    await sleep((index / streams) * openingMs);
    const { statusCode, headers, body } = await connection.open(name);
    if (statusCode !== 200) throw new Error(`${system.url} answered ${statusCode}`);
    system.check?.(headers);
    for await (const chunk of body) {
      const now = process.hrtime.bigint();
      for (const [, sent] of chunk.toString('latin1').matchAll(SENT)) {
        received++;
        const delay = now - BigInt(sent);
        if (delay > latestNs) latestNs = delay;
      }
    }
  };
  const cpuBefore = cpuSeconds(system.child.pid);
  try {
    await Promise.all(Array.from({ length: streams }, (_, index) => read(index)));
  } finally {
    await connection.close();
  }
  if (received !== streams * events) throw new Error(`${system.url} gave ${received} events of ${streams * events}`);
  return {
    cpuUs: ((cpuSeconds(system.child.pid) - cpuBefore) / received) * 1e6,
    latestMs: Number(latestNs) / 1e6,
  };
}
