/** Represents a limit that a model does not have. */
export const NO_LIMIT = 0;

/** Limits of models, in the order of the scripts' arguments. */
export const MODEL_LIMITS = ['requestsPerMinute', 'tokensPerMinute', 'concurrency'] as const;
/** All limits that may refuse a claim: scripts return the position of one, from 1 on. */
export const LIMIT_ORDER = [...MODEL_LIMITS, 'part'] as const;

/** The counts of a subject's minute. The braces keep all of its keys in one hash slot of a cluster. */
export const minuteKeyOf = (subject: string): string => `fairlead:limits:{${subject}}:minute`;
export const MARK_KEY = 'fairlead:limits:mark';

// All scripts use Redis's own time, so that replicas agree, plus ARGV.ahead, which is 0 except in tests.

/**
 * One decision: claims all limits, or none.
 *
 * KEYS: 1. the minute: a hash of `minute`, `requests`, `tokens`, and `of:…`, the tokens of a part; 2. the slots: a
 * sorted set of owners, by the end of their lease
 *
 * ARGV: 1. limit of requests; 2. of tokens; 3. of slots; 4. tokens to reserve; 5. owner; 6. lease, in ms; 7. `ahead`;
 * 8. id of the part, or an empty text; 9. limit of its tokens; 10. requests that it counts as: 1, or 0 for a further
 * call of a counted request
 *
 * Returns the position of the limit that refused or 0, the requests and tokens counted in this minute so far, the
 * tokens of the part, and the time in ms.
 */
const CLAIM = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[7]
local minute = math.floor(now / 60000)
local requests_max, tokens_max, slots_max = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local requests, tokens, of_part, is_new = 0, 0, 0, true
if requests_max > 0 or tokens_max > 0 then
  local kept = redis.call('HMGET', KEYS[1], 'minute', 'requests', 'tokens', 'of:' .. ARGV[8])
  if tonumber(kept[1]) == minute then
    requests, tokens, of_part, is_new = tonumber(kept[2]), tonumber(kept[3]), tonumber(kept[4]) or 0, false
  end
  if requests_max > 0 and requests + ARGV[10] > requests_max then return { 1, requests, tokens, of_part, now } end
  if tokens_max > 0 and tokens + ARGV[4] > tokens_max then return { 2, requests, tokens, of_part, now } end
  if ARGV[8] ~= '' and of_part + ARGV[4] > tonumber(ARGV[9]) then return { 4, requests, tokens, of_part, now } end
end
if slots_max > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
  if redis.call('ZCARD', KEYS[2]) >= slots_max then return { 3, requests, tokens, of_part, now } end
  redis.call('ZADD', KEYS[2], now + ARGV[6], ARGV[5])
  if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[6]) then redis.call('PEXPIRE', KEYS[2], ARGV[6]) end
end
if requests_max > 0 or tokens_max > 0 then
  requests, tokens = requests + ARGV[10], tokens + ARGV[4]
  -- With the parts of the minute before.
  if is_new then redis.call('DEL', KEYS[1]) end
  redis.call('HSET', KEYS[1], 'minute', minute, 'requests', requests, 'tokens', tokens)
  if ARGV[8] ~= '' then
    of_part = of_part + ARGV[4]
    redis.call('HSET', KEYS[1], 'of:' .. ARGV[8], of_part)
  end
  if is_new then redis.call('PEXPIRE', KEYS[1], 60000) end
end
return { 0, requests, tokens, of_part, now }
`;

/**
 * Adds what a process counted locally to the minute, if that is still the current one.
 * KEYS: the minute, as above. ARGV: minute, requests, tokens, ahead, then pairs of a part and its tokens
 */
const ADD = `
local time = redis.call('TIME')
local minute = math.floor((time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[4]) / 60000)
if minute ~= tonumber(ARGV[1]) then return 0 end
local kept = redis.call('HMGET', KEYS[1], 'minute', 'requests', 'tokens')
local requests, tokens, is_new = tonumber(kept[2]), tonumber(kept[3]), tonumber(kept[1]) ~= minute
if is_new then
  redis.call('DEL', KEYS[1])
  requests, tokens = 0, 0
end
requests, tokens = math.max(0, requests + ARGV[2]), math.max(0, tokens + ARGV[3])
redis.call('HSET', KEYS[1], 'minute', minute, 'requests', requests, 'tokens', tokens)
for place = 5, #ARGV, 2 do
  local of_part = 'of:' .. ARGV[place]
  local counted = tonumber(redis.call('HGET', KEYS[1], of_part)) or 0
  redis.call('HSET', KEYS[1], of_part, math.max(0, counted + ARGV[place + 1]))
end
if is_new then redis.call('PEXPIRE', KEYS[1], 60000) end
return 1
`;

/**
 * Identifies the contents of this Redis: they are lost where it no longer has the mark that a process has read before.
 * KEYS: the mark. ARGV: the mark of an empty Redis
 */
const MARK = `
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])
`;

/**
 * Restores the counts of one process in a minute that Redis lost wholly or in part: once for each process and minute.
 * If the mark is lost, the minute continues from the larger of two figures: the sum of the counts of all processes, and
 * the largest total that one of them has seen. Else it becomes at least the total that this process has seen.
 *
 * KEYS: 1. the minute, also with `restored`, `seen`, and `by:…` of a process
 *
 * ARGV: 1. minute; 2. `ahead`; 3. id of the process; 4. 1 where the mark is lost, or 0; 5. requests of the process;
 * 6. the most requests that it has seen; 7. its tokens; then pairs of a part and its tokens
 */
const RESTORE = `
local time = redis.call('TIME')
local minute = math.floor((time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2]) / 60000)
if minute ~= tonumber(ARGV[1]) then return 0 end
local by, is_lost = 'by:' .. ARGV[3], ARGV[4] == '1'
local kept = redis.call('HMGET', KEYS[1], 'minute', 'requests', 'tokens', 'restored', 'seen', by)
local is_new = tonumber(kept[1]) ~= minute
if is_new then
  redis.call('DEL', KEYS[1])
  kept = { minute, 0, 0, 0, 0, false }
end
if kept[6] then return 1 end
local own, seen = tonumber(ARGV[5]), tonumber(ARGV[6])
local function restored(counted, of_process)
  return is_lost and counted + of_process or math.max(counted, of_process)
end
local requests, tokens = tonumber(kept[2]), restored(tonumber(kept[3]), tonumber(ARGV[7]))
if is_lost then
  local sum_before, seen_before = tonumber(kept[4]) or 0, tonumber(kept[5]) or 0
  local sum, most = sum_before + own, math.max(seen_before, seen)
  requests = requests + math.max(sum, most) - math.max(sum_before, seen_before)
  redis.call('HSET', KEYS[1], 'restored', sum, 'seen', most, by, 1)
else
  requests = math.max(requests, seen)
end
redis.call('HSET', KEYS[1], 'minute', minute, 'requests', requests, 'tokens', tokens)
for place = 8, #ARGV, 2 do
  local of_part = 'of:' .. ARGV[place]
  local counted = tonumber(redis.call('HGET', KEYS[1], of_part)) or 0
  redis.call('HSET', KEYS[1], of_part, restored(counted, tonumber(ARGV[place + 1])))
end
if is_new then redis.call('PEXPIRE', KEYS[1], 60000) end
return 1
`;

/**
 * Gives a slot back, and corrects the tokens of its minute, if that is still the counted one.
 * KEYS: as above. ARGV: owner, minute, change of its tokens, id of their part or an empty text
 */
const RELEASE = `
redis.call('ZREM', KEYS[2], ARGV[1])
local change = tonumber(ARGV[3])
if change ~= 0 then
  local of_part = 'of:' .. ARGV[4]
  local kept = redis.call('HMGET', KEYS[1], 'minute', 'tokens', of_part)
  if kept[1] == ARGV[2] then
    redis.call('HSET', KEYS[1], 'tokens', math.max(0, kept[2] + change))
    if kept[3] then redis.call('HSET', KEYS[1], of_part, math.max(0, kept[3] + change)) end
  end
end
return 0
`;

/**
 * Extends the leases of slots, and restores those that Redis has lost.
 * KEYS: the slots. ARGV: lease in ms, ahead, owners
 */
const RENEW = `
local time = redis.call('TIME')
local ends = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2] + ARGV[1]
for place = 3, #ARGV do redis.call('ZADD', KEYS[1], ends, ARGV[place]) end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return 0
`;

/**
 * One decision of the flood guard: counts a request for its key, and for the group that the key belongs to. Also counts
 * several requests that a process counted locally.
 *
 * KEYS: 1. the group: a hash of `latest`, `latest_at`, `others_at`, `hits`, `ends_at`; 2. the key: a hash of `hits`,
 * `ends_at`, `wasted`, `wasted_ends_at`
 *
 * ARGV: 1. name of the key; 2. limit; 3. window, in ms; 4. share of the limit under contention; 5. limit of wasted
 * calls; 6. how long a key contends after its last call, in ms; 7. `ahead`; 8. number of requests; 9. how long ago the
 * first of them was, in ms
 *
 * Returns the position in `FLOOD_LIMITS` of the limit that refused, or 0; how long ago another key called in ms, or -1;
 * then hits and remaining ms of the current windows: of the group, of the key, and of its wasted calls.
 */
const COUNT_REQUEST = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[7]
local limit, window, share, contention_ms = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[6])
local times, age = tonumber(ARGV[8]), tonumber(ARGV[9])
local group = redis.call('HMGET', KEYS[1], 'latest', 'latest_at', 'others_at', 'hits', 'ends_at')
local key = redis.call('HMGET', KEYS[2], 'hits', 'ends_at', 'wasted', 'wasted_ends_at')
local others_at = tonumber(group[3]) or -1
if group[1] and group[1] ~= ARGV[1] then
  -- A key that joins one that was alone finds the other half, however much that one has used.
  local was_shared = others_at >= 0 and now - others_at < contention_ms
  if not was_shared and tonumber(group[4] or 0) > share then
    group[4] = share
    redis.call('HSET', KEYS[1], 'hits', share)
  end
  others_at = tonumber(group[2])
end
redis.call('HSET', KEYS[1], 'latest', ARGV[1], 'latest_at', now, 'others_at', others_at)
redis.call('PEXPIRE', KEYS[1], math.max(contention_ms, window))
local others_ms = others_at < 0 and -1 or math.max(0, now - others_at)
local is_shared = others_ms >= 0 and others_ms < contention_ms
local function window_of(hits, ends_at)
  local left_ms = math.max(0, (tonumber(ends_at) or 0) - now)
  return { hits = left_ms > 0 and tonumber(hits) or 0, left_ms = left_ms }
end
local of_group, of_key, of_wasted = window_of(group[4], group[5]), window_of(key[1], key[2]), window_of(key[3], key[4])
local function hit(name, counted, most, hits)
  if counted.left_ms == 0 then counted.left_ms = math.max(1, window - age) end
  local was_past = counted.hits > most
  counted.hits = counted.hits + hits
  if counted.hits > most and not was_past then counted.left_ms = window end
  redis.call('HSET', name, 'hits', counted.hits, 'ends_at', now + counted.left_ms)
  return counted.hits > most
end
local function decide()
  if of_wasted.hits >= tonumber(ARGV[5]) then return 3 end
  local most = is_shared and share or math.huge
  local passed = math.min(times, most - of_key.hits)
  hit(KEYS[2], of_key, most, times)
  redis.call('PEXPIRE', KEYS[2], math.max(of_key.left_ms, of_wasted.left_ms))
  if passed <= 0 then return 2 end
  return hit(KEYS[1], of_group, limit, passed) and 1 or 0
end
local place = decide()
return {
  place, others_ms, of_group.hits, of_group.left_ms, of_key.hits, of_key.left_ms, of_wasted.hits, of_wasted.left_ms,
}
`;

/**
 * Counts wasted calls of a key.
 * KEYS: the key, as above. ARGV: limit, window in ms, ahead, how many calls, how long ago the first of them was in ms
 */
const COUNT_WASTE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[3]
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'wasted', 'wasted_ends_at')
local wasted, ends_at = tonumber(kept[1]) or 0, tonumber(kept[2]) or 0
if ends_at <= now then wasted, ends_at = 0, now + math.max(1, window - ARGV[5]) end
local was_past = wasted >= limit
wasted = wasted + ARGV[4]
if wasted >= limit and not was_past then ends_at = now + window end
redis.call('HSET', KEYS[1], 'wasted', wasted, 'wasted_ends_at', ends_at)
if redis.call('PTTL', KEYS[1]) < ends_at - now then redis.call('PEXPIRE', KEYS[1], ends_at - now) end
return 0
`;

/** For the client's option `scripts`: each is sent whole once per connection, then by digest. */
export const LIMIT_SCRIPTS = {
  claimLimits: { numberOfKeys: 2, lua: CLAIM },
  addToMinute: { numberOfKeys: 1, lua: ADD },
  keepMark: { numberOfKeys: 1, lua: MARK },
  restoreMinute: { numberOfKeys: 1, lua: RESTORE },
  releaseLimits: { numberOfKeys: 2, lua: RELEASE },
  renewSlots: { numberOfKeys: 1, lua: RENEW },
  countRequest: { numberOfKeys: 2, lua: COUNT_REQUEST },
  countWaste: { numberOfKeys: 1, lua: COUNT_WASTE },
};

/** The commands that the client makes of them. */
export interface LimitScripts {
  /** The states of its connection: being made, usable, ended. */
  on(event: 'connect' | 'ready' | 'close', listener: () => void): unknown;
  claimLimits(minuteKey: string, slotsKey: string, ...claim: (string | number)[]): Promise<unknown>;
  addToMinute(minuteKey: string, minute: number, ...counts: (string | number)[]): Promise<unknown>;
  keepMark(markKey: string, mark: string): Promise<unknown>;
  restoreMinute(minuteKey: string, minute: number, ...counts: (string | number)[]): Promise<unknown>;
  releaseLimits(minuteKey: string, slotsKey: string, ...release: (string | number)[]): Promise<unknown>;
  renewSlots(slotsKey: string, leaseMs: number, aheadMs: number, ...owners: string[]): Promise<unknown>;
}

/** The commands of the flood guard. */
export interface FloodScripts {
  countRequest(groupKey: string, keyKey: string, ...count: (string | number)[]): Promise<unknown>;
  countWaste(keyKey: string, ...count: number[]): Promise<unknown>;
}
