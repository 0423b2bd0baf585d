import { hash, randomBytes, randomFillSync } from 'node:crypto';

const LETTERS_AND_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_POOL_BYTES = 4096;

// One system call for many ids: every request has two.
const pool = Buffer.alloc(RANDOM_POOL_BYTES);
let poolOffset = RANDOM_POOL_BYTES;

function refillPool(): void {
  randomFillSync(pool);
  poolOffset = 0;
}

/** The offset of `count` unused random bytes in the pool. */
function takeRandom(count: number): number {
  if (poolOffset + count > RANDOM_POOL_BYTES) refillPool();
  poolOffset += count;
  return poolOffset - count;
}

/** Id of one generation: `gen-<unix seconds>-<20 letters and digits>`. It is the reply's `id` and `X-Generation-Id`. */
export type GenerationId = `gen-${number}-${string}`;

export const newGenerationId = (nowMs: number): GenerationId =>
  `gen-${Math.floor(nowMs / 1000)}-${lettersAndDigits(20)}`;

/** The prefix of the ids of calls that this gateway's own tools answer; vendors' ids continue with a digit. */
export const SERVER_TOOL_USE_PREFIX = 'srvtoolu_fl';

/** Id of a call of a tool that this gateway runs. */
export const newServerToolUseId = (): string => SERVER_TOOL_USE_PREFIX + lettersAndDigits(22);

function lettersAndDigits(count: number): string {
  let text = '';
  while (text.length < count) {
    if (poolOffset === RANDOM_POOL_BYTES) refillPool();
    const value = pool[poolOffset++]! & 63;
    // 62 of 64 values are letters or digits; the other two are drawn again, so that each letter is equally likely.
    if (value < 62) text += LETTERS_AND_DIGITS[value];
  }
  return text;
}

/** When a generation was accepted, in seconds of Unix time, read from its id. */
export const generationSeconds = (id: GenerationId): number => Number(id.split('-')[1]);

/** UUID version 7 (RFC 9562): ordered by creation time, in milliseconds. */
export function newUuid(nowMs: number): string {
  const start = takeRandom(16);
  pool.writeUIntBE(nowMs, start, 6);
  pool[start + 6] = (pool[start + 6]! & 0x0f) | 0x70;
  pool[start + 8] = (pool[start + 8]! & 0x3f) | 0x80;
  const hex = pool.toString('hex', start, start + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The seed of a draw: 64 random bits, 16 hex characters. */
export function newSeed(): string {
  const random = takeRandom(8);
  return pool.toString('hex', random, random + 8);
}

/** A new API key, 256 random bits: `sk-fl-v1-` and 64 hex characters. Shown once, stored only as its hash. */
export function newApiKey(): string {
  return `sk-fl-v1-${randomBytes(32).toString('hex')}`;
}

/**
 * Lowercase SHA-256 hex of a key: how keys are stored and looked up. The key has 256 random
 * bits, so no slow hash is due.
 */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}
