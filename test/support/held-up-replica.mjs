// The limits of one replica as a separate process, which another one suspends and resumes: it claims as fast as
// possible for a while, and reports how much it was granted. Arguments: folder of the compiled sources, kind of limit,
// address of Redis, subject, limit, patience in ms, lead of the clock in ms, minimum duration in ms.
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [folder, kind, address, subject, limit, patienceMs, aheadMs, forMs] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(join(folder, file)).href);
const { Secret } = await load('core/secret.js');
const { Clock } = await load('core/time.js');
const { LocalLimitCounts } = await load('rate-limits/local-limit-counts.js');
const { LocalThrottlerStorage } = await load('rate-limits/local-throttler.storage.js');
const { OccupiedSlots } = await load('rate-limits/occupied-slots.js');
const { RedisLimitCounts } = await load('rate-limits/redis-limit-counts.js');
const { RedisOutage } = await load('rate-limits/redis-outage.js');
const { connectForLimits, reconnect, RedisThrottlerStorage } = await load('rate-limits/redis-throttler.storage.js');

/** Concurrent claims: enough that every suspension meets some. */
const AT_ONCE = 8;
const REFUSED_APART_MS = 5;
/** This many refusals show that the limit was reached. */
const REFUSALS_MIN = 20;

class AheadClock extends Clock {
  aheadMs = Number(aheadMs);
  now() {
    return Date.now() + this.aheadMs;
  }
}

const clock = new AheadClock();
const redis = connectForLimits(new Secret(address));
await new Promise((resolve) => redis.once('ready', resolve));
const outage = new RedisOutage(clock, () => reconnect(redis), Number(patienceMs));
const most = Number(limit);

function claimByLimits() {
  const occupied = new OccupiedSlots(clock, 900_000);
  const counts = new RedisLimitCounts(redis, outage, new LocalLimitCounts(clock, occupied), occupied, clock);
  const limits = { requestsPerMinute: most };
  return async () => 'slot' in (await counts.claim({ subject, limits, owner: 'gen', tokens: 1 }));
}

function claimByFlood() {
  const storage = new RedisThrottlerStorage(redis, new LocalThrottlerStorage(clock), clock, outage);
  const caller = { accountId: subject, workspaceId: 'w', keyHash: 'k', kind: 'inference', userId: null };
  const rate = { limit: most, windowMs: 60_000 };
  return async () => (await storage.countRequest(caller, { account: rate, wasted: rate })) === undefined;
}

function claimByFailures() {
  const storage = new RedisThrottlerStorage(redis, new LocalThrottlerStorage(clock), clock, outage);
  return async () => !(await storage.increment(subject, 60_000, most, 60_000, 'test')).isBlocked;
}

const claim = { limits: claimByLimits, flood: claimByFlood, failures: claimByFailures }[kind]();
let [granted, refused] = [0, 0];
process.send('ready');
await new Promise((resolve) => process.once('message', resolve));
const endsAt = performance.now() + Number(forMs);
async function claimAll() {
  while (refused < REFUSALS_MIN || performance.now() < endsAt) {
    if (await claim()) granted++;
    else {
      refused++;
      await sleep(REFUSED_APART_MS);
    }
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, claimAll));
process.send({ granted });
redis.disconnect();
process.disconnect();
