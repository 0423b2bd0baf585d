// Goal: no text of a credential leaves with a fault. Method: faults that repeat it, whole and in parts.
import { ProviderFault } from '../core/errors.js';
import { Secret } from '../core/secret.js';
import { stopwatch } from '../../test/support/cpu-time.js';
import { withoutCredential } from './credential-mask.js';

const faultOf = (message: string, providerCode?: string): ProviderFault =>
  new ProviderFault('refused-credential', message, {
    status: 401,
    ...(providerCode !== undefined && { providerCode }),
  });

it('cuts a key out of message and code, and keeps the rest', () => {
  const masked = withoutCredential(faultOf('bad key (k)-1.*, key (k)-1.*', 'no_(k)-1.*'), new Secret('(k)-1.*'));
  expect([masked.message, masked.detail]).toEqual([
    'bad key [secret], key [secret]',
    { status: 401, providerCode: 'no_[secret]' },
  ]);
});

it('cuts out each longer text of a structured one', () => {
  const key = JSON.stringify({
    accessKeyId: 'AKIA12345',
    region: 'eu',
    nested: [{ secretAccessKey: 'long-secret-value' }],
  });
  const masked = withoutCredential(faultOf('AKIA12345 with long-secret-value in eu'), new Secret(key));
  expect(masked.message).toBe('[secret] with [secret] in eu');
});

it('cuts out the beginning of one where a shortened message ends in it', () => {
  const key = new Secret('sk-0123456789abcdef');
  expect(withoutCredential(faultOf('bad key sk-01234567…'), key).message).toBe('bad key [secret]');
  expect(withoutCredential(faultOf('bad key sk-01234567'), key).message).toBe('bad key [secret]');
  expect(withoutCredential(faultOf('bad key sk-0…'), key).message).toBe('bad key sk-0…');
});

it('cuts out one in the form of addresses, and none where it has no such form', () => {
  const key = new Secret('key/+of=signs');
  expect(withoutCredential(faultOf('GET /v1?key=key%2F%2Bof%3Dsigns'), key).message).toBe('GET /v1?key=[secret]');
  expect(withoutCredential(faultOf('bad \ud800-half'), new Secret('\ud800-half')).message).toBe('bad [secret]');
});

describe('cuts out one that was encoded', () => {
  const KEY = 'k~0-ey/9+Zz.?é"x';
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  // Digits at the ends of base64 also encode parts of adjacent bytes.
  const FORMS: readonly (readonly [string, string, RegExp])[] = [
    ['base64', base64(KEY), /^\[secret\]\S{0,3}$/],
    ['base64url', Buffer.from(KEY).toString('base64url'), /^\[secret\]\S?$/],
    ['base64, behind a user', base64(`user:${KEY}`), /^dXNlc\S{0,3}\[secret\]\S{0,3}$/],
    ['base64, behind a scheme', base64(`Bearer ${KEY}`), /^QmVhcmVy\S{0,3}\[secret\]\S{0,3}$/],
    ['base64, between others', base64(`a${KEY}, and`), /^Y\S?\[secret\]\S{5,8}$/],
    ['hex', Buffer.from(KEY).toString('hex'), /^\[secret\]$/],
    ['upper hex', Buffer.from(KEY).toString('hex').toUpperCase(), /^\[secret\]$/],
    ['JSON', JSON.stringify({ key: KEY }), /^\{"key":"\[secret\]"\}$/],
  ];

  it.each(FORMS)('%s', (_, encoded, shown) => {
    expect(withoutCredential(faultOf(encoded), new Secret(KEY)).message).toMatch(shown);
  });

  it('a part of a structured one, and a token', () => {
    const secret = 'wJalrXUtnFEMI/K7MDENG';
    const fault = faultOf(`${base64(secret)} and ${base64('ya29.a-token-of-some-length')}`);
    const headers = { authorization: 'Bearer ya29.a-token-of-some-length' };
    const masked = withoutCredential(fault, new Secret(JSON.stringify({ secretAccessKey: secret })), headers);
    expect(masked.message).toMatch(/^\[secret\]\S{0,3} and \[secret\]\S{0,3}$/);
  });

  it('one of several lines, in words that have none', () => {
    const pem = '-----BEGIN KEY-----\nAbC+/dEf0123\r\nGhI456+/jkl\n-----END KEY-----\n';
    const key = new Secret(JSON.stringify({ private_key: pem }));
    const { message } = withoutCredential(faultOf(`no key: ${pem.replaceAll(/[\r\n]+/g, ' ')}`), key);
    expect(message).toBe('no key: [secret] [secret] [secret] [secret] ');
  });

  it('in time that grows with its length', () => {
    const members = Array.from({ length: 3_000 }, (_, index) => [`m${index}`, `value-${index}-`]);
    const secret = 'wJalrXUtnFEMI/K7MDENG';
    const key = new Secret(JSON.stringify(Object.fromEntries([...members, ['secret', secret]])));
    const computedMs = stopwatch();
    const { message } = withoutCredential(faultOf(`${base64(secret)} ${'x'.repeat(460)}`), key);
    expect(computedMs()).toBeLessThan(200);
    expect(message).toMatch(/^\[secret\]/);
  });
});

it('leaves what holds nothing of it as it is', () => {
  const fault = faultOf('no such model');
  expect(withoutCredential(fault, new Secret('key'))).toBe(fault);
  expect(withoutCredential(fault, undefined)).toBe(fault);
});

it('cuts out what the platform made of it, and no common words', () => {
  const token = 'ya29.a-token-of-some-length';
  const fault = faultOf(`${token} is a Bearer that signed accept,host for AKIA12345; half of it: ya29.a-tok…`);
  const headers = { authorization: `Bearer ${token}`, 'x-signed': 'accept,host' };
  const masked = withoutCredential(fault, new Secret('{"key":"AKIA12345"}'), headers);
  expect(masked.message).toBe('[secret] is a Bearer that signed accept,host for [secret]; half of it: [secret]');
});

it('cuts out what the platform made of no credential of ours', () => {
  const token = 'ya29.a-token-of-some-length';
  const masked = withoutCredential(faultOf(`bad token ${token}`), undefined, { authorization: `Bearer ${token}` });
  expect(masked.message).toBe('bad token [secret]');
});

it.each([
  ['lists', `${'['.repeat(30_000)}"long-secret-value"${']'.repeat(30_000)}`],
  ['objects', `${'{"a":'.repeat(10_000)}"long-secret-value"${'}'.repeat(10_000)}`],
])('looks into %s that are nested deeper than the stack', (_, key) => {
  expect(withoutCredential(faultOf('no long-secret-value'), new Secret(key)).message).toBe('no [secret]');
});
