// Goal: no text of a credential leaves with a fault. Method: faults that repeat it, whole and in parts.
import { ProviderFault } from '../core/errors.js';
import { Secret } from '../core/secret.js';
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
