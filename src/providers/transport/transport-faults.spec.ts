// Goal: a failure before the reply names its cause in a fixed sentence, and never an address. Method: errors with the
// codes of the system, of TLS and of undici, alone and as causes of others.
import { faultBeforeReply } from './transport-faults.js';

const coded = (code: string): Error => Object.assign(new Error(`connect ${code} 10.0.0.1:443`), { code });

describe('faultBeforeReply', () => {
  it.each([
    ['ECONNREFUSED', 'The provider could not be reached: it refused the connection.'],
    ['ECONNRESET', 'The provider could not be reached: it closed the connection before it answered.'],
    ['ENOTFOUND', 'The provider could not be reached: its host name is unknown.'],
    ['ENETUNREACH', 'The provider could not be reached: there is no route to it.'],
    ['CERT_HAS_EXPIRED', 'The provider could not be reached: its certificate is not accepted.'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'The provider could not be reached: its certificate is not accepted.'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'The provider could not be reached: its certificate is not accepted.'],
    ['EMFILE', 'The provider could not be reached.'],
    ['any words', 'The provider could not be reached.'],
  ])('%s', (code, message) => {
    for (const error of [coded(code), new Error('fetch failed', { cause: coded(code) })])
      expect(faultBeforeReply(error)).toMatchObject({ kind: 'unreachable', message });
  });
});
