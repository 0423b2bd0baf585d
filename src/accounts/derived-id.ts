import { hash } from 'node:crypto';

/**
 * A UUID (version 8, RFC 9562) that is always the same for the same words: for objects without an id of their own that
 * clients expect to have one.
 */
export function derivedId(...words: readonly string[]): string {
  const hex = hash('sha256', JSON.stringify(words), 'hex');
  const variant = ((parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
