import { ExactNumber, NumberList } from '../json/json.js';
import type { Vector, VectorEncoding } from './task.js';

const BYTES_PER_FLOAT = 4;
/** The upper bits of a float32's exponent are in its last byte, the lowest one in the byte before. */
const UPPER_BITS = 0x7f;
const LOWEST_BIT = 0x80;

/**
 * The base64 of little-endian float32 numbers, all of them finite, in its canonical form.
 * @param text padding may be absent
 * @returns undefined where the text is not that
 */
export function floatVector(text: string): string | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % BYTES_PER_FLOAT !== 0) return undefined;
  // The decoder skips and misreads characters that are in no alphabet, and takes those of the URL's.
  const canonical = bytes.toString('base64');
  if (text !== canonical && text !== canonical.replace(/=+$/, '')) return undefined;
  // All bits of the exponent are set in what is no finite number.
  for (let last = BYTES_PER_FLOAT - 1; last < bytes.length; last += BYTES_PER_FLOAT) {
    if ((bytes[last]! & UPPER_BITS) === UPPER_BITS && bytes[last - 1]! >= LOWEST_BIT) return undefined;
  }
  return canonical;
}

/** The vector in the requested encoding: unchanged where it has it. */
export function encodedVector(vector: Vector, encoding: VectorEncoding): Vector {
  if (typeof vector === 'string') return encoding === 'base64' ? vector : toNumbers(vector);
  if (encoding === 'float') return vector;
  return toBase64(vector instanceof NumberList ? vector.toNumbers() : vector);
}

/** A vector that was read from JSON: its numbers become doubles. */
export const plainVector = (vector: Vector): Vector =>
  Array.isArray(vector)
    ? vector.map((entry: number | ExactNumber) => (entry instanceof ExactNumber ? Number(entry.toJSON()) : entry))
    : vector;

function toBase64(numbers: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(numbers.length * BYTES_PER_FLOAT);
  for (let index = 0; index < numbers.length; index++) bytes.writeFloatLE(numbers[index]!, index * BYTES_PER_FLOAT);
  return bytes.toString('base64');
}

function toNumbers(text: string): number[] {
  const bytes = Buffer.from(text, 'base64');
  const numbers: number[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_PER_FLOAT) numbers.push(bytes.readFloatLE(at));
  return numbers;
}
