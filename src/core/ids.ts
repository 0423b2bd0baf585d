import { createHash, randomBytes, randomFillSync } from 'node:crypto';

const LETTERS_AND_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_POOL_BYTES = 4096;

// One system call for many ids: an inference id is made on every request.
const pool = Buffer.alloc(RANDOM_POOL_BYTES);
let poolOffset = RANDOM_POOL_BYTES;

function randomByte(): number {
  if (poolOffset === RANDOM_POOL_BYTES) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  return pool[poolOffset++]!;
}

/** Id of one generation: `gen-<unix seconds>-<20 letters and digits>`. It is the reply's `id` and `X-Generation-Id`. */
export type GenerationId = `gen-${number}-${string}`;

export function newGenerationId(nowMs: number): GenerationId {
  let suffix = '';
  while (suffix.length < 20) {
    const value = randomByte() & 63;
    // 62 of 64 values are letters or digits; the other two are drawn again, so that each letter is equally likely.
    if (value < 62) suffix += LETTERS_AND_DIGITS[value];
  }
  return `gen-${Math.floor(nowMs / 1000)}-${suffix}`;
}

/** UUID version 7 (RFC 9562): ordered by time of making, in milliseconds. */
export function newUuid(nowMs: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A new API key, 256 random bits: `sk-fl-v1-` and 64 hex characters. Shown once, stored only as its hash. */
export function newApiKey(): string {
  return `sk-fl-v1-${randomBytes(32).toString('hex')}`;
}

/** Lowercase SHA-256 hex of a key: how keys are stored and looked up. The key has 256 random bits, so no slow hash is due. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
