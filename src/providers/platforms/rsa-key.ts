import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { refused } from './credential-members.js';

/**
 * Google's own keys have 2,048 bits. Time grows with the cube of the bits. A key of 32,768 bits fits into a caller's
 * credential, and would block a thread of the pool, and all work queued there, for ten seconds.
 */
const MODULUS_BITS_MAX = 4_096;
/** Maximum number of bytes of the public exponent. Nearly all keys have three. */
const EXPONENT_BYTES_MAX = 8;

const PEM = /-----BEGIN (RSA )?PRIVATE KEY-----([\w+/=\s]+)-----END \1PRIVATE KEY-----/;
/**
 * The beginning of every RSA key in PKCS #8, after its length: version 0, and the algorithm, which has no parameters.
 */
const RSA_IN_PKCS8 = Buffer.from('020100300d06092a864886f70d0101010500', 'hex');
/** Maximum number of bytes of the length before it, with the tag of its sequence. */
const HEAD_BYTES_MAX = 5;

/**
 * The private key of a service account, for signatures.
 *
 * The text is a caller's, so only RSA keys of common sizes reach the library. When it reads a key of DSA or
 * Diffie-Hellman, it computes missing parts on the event loop, for minutes. It makes RSA signatures with any numbers
 * beside the modulus, of any length.
 * @throws ProviderFault `refused-credential`, never with a part of the key
 */
export function readRsaKey(pem: string): KeyObject {
  const [, isPkcs1, digits] = PEM.exec(pem) ?? [];
  if (digits === undefined) throw refused('has a private_key that cannot be read');
  const bytes = Buffer.from(digits, 'base64');
  if (isPkcs1 === undefined && !isOfRsa(bytes)) throw refused('has a private_key that is no RSA key');
  let key: KeyObject;
  let numbers: JsonWebKey;
  try {
    key = createPrivateKey({ key: bytes, format: 'der', type: isPkcs1 === undefined ? 'pkcs8' : 'pkcs1' });
    numbers = key.export({ format: 'jwk' });
  } catch {
    // The library's message may quote the key.
    throw refused('has a private_key that cannot be read');
  }
  assertSize(numbers);
  return key;
}

function isOfRsa(pkcs8: Buffer): boolean {
  const index = pkcs8.indexOf(RSA_IN_PKCS8);
  return index >= 0 && index <= HEAD_BYTES_MAX;
}

/** The library takes any size, and the longest number decides the cost of a signature. */
function assertSize({ n, d, p, q, dp, dq, qi, e }: JsonWebKey): void {
  const bytes = Math.max(...[n, d, p, q, dp, dq, qi].map(bytesOf));
  if (bytes * 8 > MODULUS_BITS_MAX) throw refused(`has a private_key of more than ${MODULUS_BITS_MAX} bits`);
  if (bytesOf(e) > EXPONENT_BYTES_MAX) throw refused('has a private_key with a public exponent that is too long');
}

const bytesOf = (number = ''): number => Buffer.byteLength(number, 'base64url');
