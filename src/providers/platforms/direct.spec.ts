/**
 * Goal: each scheme sets its headers, no error contains a credential, and whole answers to streamed calls are
 * recognised. Method: tables over schemes, illegal characters and content types.
 */
import { Cancellation } from '../../core/cancellation.js';
import { ProviderFault } from '../../core/errors.js';
import type { CredentialScheme, Target } from '../../core/provider.js';
import { Secret } from '../../core/secret.js';
import { direct } from './direct.js';

function authorise(scheme: CredentialScheme, credential: Secret | undefined): unknown {
  const target = { definition: { slug: 'test', credential: scheme, quirks: {} } } as unknown as Target;
  return direct.authorise(
    { target, credential },
    { url: 'https://a.test/', headers: {}, body: '' },
    new Cancellation(),
  );
}

describe('authorise', () => {
  it.each([
    ['bearer', { authorization: 'Bearer sk-1' }],
    ['x-api-key', { 'x-api-key': 'sk-1' }],
    ['x-goog-api-key', { 'x-goog-api-key': 'sk-1' }],
    ['api-key', { 'api-key': 'sk-1' }],
    ['none', {}],
  ] as const)('%s', (scheme, headers) => {
    expect(authorise(scheme, new Secret('sk-1'))).toEqual(headers);
  });

  it('needs no credential where the scheme has none', () => {
    expect(authorise('none', undefined)).toEqual({});
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
        authorise(scheme, new Secret(value));
      } catch (error) {
        expect(error).toMatchObject({ kind: 'refused-credential' });
        expect(String((error as ProviderFault).stack)).not.toContain('CANARY');
      }
    }
  });

  it.each([undefined, new Secret('')])('refuses a missing or empty credential', (credential) => {
    expect(() => authorise('bearer', credential)).toThrow(expect.objectContaining({ kind: 'refused-credential' }));
  });
});

describe('frames', () => {
  it.each([
    ['application/json', true],
    ['Application/JSON; charset=utf-8', true],
    ['text/event-stream', false],
    ['text/plain', false],
    [undefined, false],
    [['application/json', 'text/plain'], false],
  ])('of %j: whole %s', (type, isWhole) => {
    expect(direct.frames({ 'content-type': type }) === undefined).toBe(isWhole);
  });
});
