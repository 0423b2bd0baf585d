// Goal: no private key of a caller's costs more than a common one. Method: keys as libraries write them, and keys with
// extreme numbers, none of which may take more than a fraction of what it would cost in the library.
import { createDiffieHellmanGroup, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { stopwatch } from '../../../test/support/cpu-time.js';
import { readRsaKey } from './rsa-key.js';

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const PKCS8 = RSA.export({ type: 'pkcs8', format: 'pem' }).toString();
const PKCS1 = RSA.export({ type: 'pkcs1', format: 'pem' }).toString();

/** Each of these keys would otherwise take many times as long. */
const MS_MAX = 200;

// DER, as far as keys need it.
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts);
const integer = (bytes: Buffer): Buffer => tagged(2, Buffer.from([0]), bytes);
const odd = (bytes: number): Buffer => Buffer.alloc(bytes, 0xa7);
const pem = (name: string, der: Buffer): string =>
  `-----BEGIN ${name}-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${name}-----\n`;
const pkcs8 = (algorithm: string, parameters: Buffer, key: Buffer): string =>
  pem(
    'PRIVATE KEY',
    sequence(
      tagged(2, Buffer.from([0])),
      sequence(tagged(6, Buffer.from(algorithm, 'hex')), parameters),
      tagged(4, integer(key)),
    ),
  );

/** The numbers of a key that is valid apart from these. */
function pkcs1(changed: Readonly<Record<string, Buffer>>): string {
  const numbers = RSA.export({ format: 'jwk' });
  const names = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const;
  const parts = names.map((name) => integer(changed[name] ?? Buffer.from(numbers[name]!, 'base64url')));
  return pem('RSA PRIVATE KEY', sequence(tagged(2, Buffer.from([0])), ...parts));
}

/** Searching for primes of this size takes seconds. Those of two groups of RFC 3526 and RFC 2409 are known. */
function pkcs8Of4096Bits(): string {
  const [p, q] = ['modp15', 'modp2'].map((group) => BigInt(`0x${createDiffieHellmanGroup(group).getPrime('hex')}`)) as [
    bigint,
    bigint,
  ];
  const e = 65_537n;
  const d = inverse(e, (p - 1n) * (q - 1n));
  const numbers = { n: p * q, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) };
  const members = Object.entries(numbers).map(([name, number]) => [name, base64urlOf(number)]);
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'RSA', ...Object.fromEntries(members) } });
  expect(key.asymmetricKeyDetails?.modulusLength).toBe(4_096);
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The number whose product with this one is 1 modulo the modulus. */
function inverse(number: bigint, modulus: bigint): bigint {
  let [factor, nextFactor, rest, nextRest] = [1n, 0n, number, modulus];
  while (nextRest > 0n) {
    const times = rest / nextRest;
    [rest, nextRest] = [nextRest, rest - times * nextRest];
    [factor, nextFactor] = [nextFactor, factor - times * nextFactor];
  }
  return factor < 0n ? factor + modulus : factor;
}

function base64urlOf(number: bigint): string {
  const digits = number.toString(16);
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').toString('base64url');
}

it.each([
  ['PKCS #8', PKCS8],
  ['PKCS #1', PKCS1],
  ['between other lines', `Bag Attributes\n${PKCS8.replaceAll('\n', '\r\n')}\nmore`],
  ['4,096 bits', pkcs8Of4096Bits()],
])('reads a key: %s', (_, text) => {
  expect(sign('RSA-SHA256', Buffer.from('x'), readRsaKey(text.toString())).length).toBeGreaterThanOrEqual(256);
}); // oxfmt-ignore

const DSA = '2a8648ce380401';
const DH = '2a864886f70d010301';
const LONG = 12_000;
/** The library of Node 24 itself refuses numbers that do not match. */
const TOO_LONG = /more than 4096 bits|cannot be read/;

it.each([
  ['DSA, with numbers it would compute with', pkcs8(DSA, sequence(integer(odd(LONG)), integer(odd(32)), integer(odd(LONG))), odd(LONG)), 'no RSA key'],
  ['Diffie-Hellman', pkcs8(DH, sequence(integer(odd(1_240)), integer(odd(1))), odd(1_238)), 'no RSA key'],
  ['an elliptic curve', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }), 'no RSA key'],
  ['RSA-PSS', generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }), 'no RSA key'],
  ['a name for DSA of its own', pem('DSA PRIVATE KEY', sequence(integer(odd(9)))), 'cannot be read'],
  ['one with a password', RSA.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }), 'cannot be read'],
  ['a public one', pem('PUBLIC KEY', sequence(integer(odd(9)))), 'cannot be read'],
  ['no end', PKCS8.slice(0, -30), 'cannot be read'],
  ['another end', PKCS8.replace('END ', 'END RSA '), 'cannot be read'],
  ['half of one', pem('RSA PRIVATE KEY', sequence(integer(odd(9)))), 'cannot be read'],
  ['beginnings without end', '-----BEGIN PRIVATE KEY-----\nMIIE'.repeat(2_000), 'cannot be read'],
  ['a long prime', pkcs1({ p: odd(LONG), dp: odd(LONG) }), TOO_LONG],
  ['a long exponent', pkcs1({ d: odd(LONG) }), TOO_LONG],
  ['a long coefficient', pkcs1({ qi: odd(LONG) }), TOO_LONG],
  ['a long modulus', pkcs1({ n: odd(520) }), 'more than 4096 bits'],
  ['a long public exponent', pkcs1({ e: odd(9) }), 'a public exponent that is too long'],
])('refuses a key at once: %s', (_, text, words) => {
  const computedMs = stopwatch();
  expect(() => readRsaKey(text.toString())).toThrow(words);
  expect(computedMs()).toBeLessThan(MS_MAX);
}); // oxfmt-ignore
