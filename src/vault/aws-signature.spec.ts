// Goal: requests are signed as AWS checks them.
// Method: the POST cases of AWS's published test suite for Signature Version 4 that go to the root of a host.
import { Secret } from '../core/secret.js';
import { signPost } from './aws-signature.js';

const SIGNER = {
  accessKeyId: new Secret('AKIDEXAMPLE'),
  secretAccessKey: new Secret('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'),
  region: 'us-east-1',
  service: 'service',
};
const SESSION_TOKEN =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/' +
  'qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT' +
  '38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==';

describe('signPost', () => {
  it.each([
    ['post-vanilla', '', {}, undefined, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'post-x-www-form-urlencoded',
      'Param1=value1',
      { 'content-type': 'application/x-www-form-urlencoded' },
      undefined,
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
    [
      'post-sts-header-before',
      '',
      {},
      new Secret(SESSION_TOKEN),
      '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
    ],
  ])('signs %s', (_, body, headers, sessionToken, signature) => {
    const signed = signPost(
      { ...SIGNER, ...(sessionToken && { sessionToken }) },
      { host: 'example.amazonaws.com', headers, body, atMs: Date.UTC(2015, 7, 30, 12, 36) },
    );
    const names = ['host', 'x-amz-date', ...Object.keys(headers), ...(sessionToken ? ['x-amz-security-token'] : [])];
    expect(signed).toEqual({
      ...headers,
      host: 'example.amazonaws.com',
      'x-amz-date': '20150830T123600Z',
      ...(sessionToken && { 'x-amz-security-token': SESSION_TOKEN }),
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
        `SignedHeaders=${names.sort().join(';')}, Signature=${signature}`,
    });
  });
});
