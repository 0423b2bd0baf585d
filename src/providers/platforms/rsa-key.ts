import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { refused } from './credential-members.js';

/**
 * Google's own keys have 2,048 bits. Time grows with their cube: one of 32,768, which a caller's credential has room
 * for, holds a thread of the pool for ten seconds, and with it whatever else waits there.
 */
const MODULUS_BITS_MAX = 4_096;
/** Of the public exponent. That of nearly all keys has three. */
const EXPONENT_BYTES_MAX = 8;

const PEM = /-----BEGIN (RSA )?PRIVATE KEY-----([\w+/=\s]+)-----END \1PRIVATE KEY-----/;
/** How every RSA key in PKCS #8 begins, behind its length: version 0, and the algorithm, which has no parameters. */
const RSA_IN_PKCS8 = Buffer.from('020100300d06092a864886f70d0101010500', 'hex');
/** Bytes of the length in front of it, at most, with the sequence that it is of. */
const HEAD_BYTES_MAX = 5;

/**
 * The private key of a service account, to sign with.
 *
 * It is a caller's text, and the library is shown none but keys of RSA, of sizes that are used: it computes what a key
 * of DSA or Diffie-Hellman lacks while it reads it, on the event loop and for minutes, and an RSA signature with
 * whatever numbers stand beside the modulus.
 * @throws ProviderFault `refused-credential`, never with a word of the key
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
    // What the library says may quote the key.
    throw refused('has a private_key that cannot be read');
  }
  assertSize(numbers);
  return key;
}

function isOfRsa(pkcs8: Buffer): boolean {
  const place = pkcs8.indexOf(RSA_IN_PKCS8);
  return place >= 0 && place <= HEAD_BYTES_MAX;
}

/** The library takes any, and what a signature costs goes by the longest number. */
function assertSize({ n, d, p, q, dp, dq, qi, e }: JsonWebKey): void {
  const bytes = Math.max(...[n, d, p, q, dp, dq, qi].map(bytesOf));
  if (bytes * 8 > MODULUS_BITS_MAX) throw refused(`has a private_key of more than ${MODULUS_BITS_MAX} bits`);
  if (bytesOf(e) > EXPONENT_BYTES_MAX) throw refused('has a private_key with a public exponent that nobody uses');
}

const bytesOf = (number = ''): number => Buffer.byteLength(number, 'base64url');
