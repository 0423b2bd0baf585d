/** What stands for a limit that a model does not have. */
export const NO_LIMIT = 0;

/** Limits in the order in which they are asked; the first one that refuses is named by its place, from 1 on. */
export const LIMIT_ORDER = ['requestsPerMinute', 'tokensPerMinute', 'concurrency'] as const;

// In all scripts time is Redis's own, so that replicas agree, and ARGV.ahead is added to it: 0 but in tests.

/**
 * One decision: takes of all limits, or of none.
 * KEYS: the minute (hash `minute`, `requests`, `tokens`), the slots (sorted set of owners by the end of their lease)
 * ARGV: three limits, tokens to reserve, owner, lease in ms, ahead
 * Returns the place of the limit that refused or 0, the requests and tokens counted in this minute by
 * now, and the time in ms.
 */
const CLAIM = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[7]
local minute = math.floor(now / 60000)
local requests_max, tokens_max, slots_max = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local requests, tokens, is_new = 0, 0, true
if requests_max > 0 or tokens_max > 0 then
  local kept = redis.call('HMGET', KEYS[1], 'minute', 'requests', 'tokens')
  if tonumber(kept[1]) == minute then
    requests, tokens, is_new = tonumber(kept[2]), tonumber(kept[3]), false
  end
  if requests_max > 0 and requests >= requests_max then return { 1, requests, tokens, now } end
  if tokens_max > 0 and tokens + ARGV[4] > tokens_max then return { 2, requests, tokens, now } end
end
if slots_max > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
  if redis.call('ZCARD', KEYS[2]) >= slots_max then return { 3, requests, tokens, now } end
  redis.call('ZADD', KEYS[2], now + ARGV[6], ARGV[5])
  if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[6]) then redis.call('PEXPIRE', KEYS[2], ARGV[6]) end
end
if requests_max > 0 or tokens_max > 0 then
  requests, tokens = requests + 1, tokens + ARGV[4]
  redis.call('HSET', KEYS[1], 'minute', minute, 'requests', requests, 'tokens', tokens)
  if is_new then redis.call('PEXPIRE', KEYS[1], 60000) end
end
return { 0, requests, tokens, now }
`;

/**
 * Gives a slot back, and sets the tokens of its minute right, if that is still the one counted.
 * KEYS: as above. ARGV: owner, minute, change of its tokens
 */
const RELEASE = `
redis.call('ZREM', KEYS[2], ARGV[1])
local change = tonumber(ARGV[3])
if change ~= 0 then
  local kept = redis.call('HMGET', KEYS[1], 'minute', 'tokens')
  if kept[1] == ARGV[2] then redis.call('HSET', KEYS[1], 'tokens', math.max(0, kept[2] + change)) end
end
return 0
`;

/**
 * Makes the leases of slots longer, and those that Redis has lost anew.
 * KEYS: the slots. ARGV: lease in ms, ahead, owners
 */
const RENEW = `
local time = redis.call('TIME')
local ends = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2] + ARGV[1]
for place = 3, #ARGV do redis.call('ZADD', KEYS[1], ends, ARGV[place]) end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return 0
`;

/** For the client's option `scripts`: sent whole once a connection, then by digest. */
export const LIMIT_SCRIPTS = {
  claimLimits: { numberOfKeys: 2, lua: CLAIM },
  releaseLimits: { numberOfKeys: 2, lua: RELEASE },
  renewSlots: { numberOfKeys: 1, lua: RENEW },
};

/** What the client makes of them. */
export interface LimitScripts {
  claimLimits(minuteKey: string, slotsKey: string, ...claim: (string | number)[]): Promise<unknown>;
  releaseLimits(minuteKey: string, slotsKey: string, owner: string, minute: number, change: number): Promise<unknown>;
  renewSlots(slotsKey: string, leaseMs: number, aheadMs: number, ...owners: string[]): Promise<unknown>;
}
