/**
 * Goal: each scheme's headers, and no credential in any error. Method: tables over schemes and illegal characters.
 */
import { ProviderFault } from '../core/errors.js';
import { Secret } from '../core/secret.js';
import { credentialHeaders } from './credentials.js';

describe('credentialHeaders', () => {
  it.each([
    ['bearer', { authorization: 'Bearer sk-1' }],
    ['x-api-key', { 'x-api-key': 'sk-1' }],
    ['none', {}],
  ] as const)('%s', (scheme, headers) => {
    expect(credentialHeaders(scheme, new Secret('sk-1'))).toEqual(headers);
  });

  it('needs no credential where the scheme has none', () => {
    expect(credentialHeaders('none', undefined)).toEqual({});
  });

  it.each([
    ['a line break', 'CANARY\r\nx-evil: 1'],
    ['a blank', 'CANARY key'],
    ['a zero byte', 'CANARY\u0000'],
    ['a letter beyond ASCII', 'CANARYé'],
    ['a character beyond latin1', 'CANARY😀'],
  ])('refuses %s without naming the value', (_, value) => {
    for (const scheme of ['bearer', 'x-api-key'] as const) {
      expect.assertions(4);
      try {
        credentialHeaders(scheme, new Secret(value));
      } catch (error) {
        expect(error).toMatchObject({ kind: 'refused-credential' });
        expect(String((error as ProviderFault).stack)).not.toContain('CANARY');
      }
    }
  });

  it.each([undefined, new Secret('')])('refuses a missing or empty credential', (credential) => {
    expect(() => credentialHeaders('bearer', credential)).toThrow(
      expect.objectContaining({ kind: 'refused-credential' }),
    );
  });
});
