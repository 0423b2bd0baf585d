// Goal: calls are signed as AWS verifies them. Method: published vectors (the suite of Signature Version 4 and the
// examples of its documentation); a path that is escaped twice, against the canonical request written out by hand;
// properties of bodies in parts and of keys that are kept; and a property of any call against AWS's own library.
import { SignatureV4 as AwsSigner } from '@smithy/signature-v4';
import { createHash, createHmac, type BinaryLike } from 'node:crypto';
import fc from 'fast-check';
import { pathSegment } from '../../../core/text/path-segment.js';
import { deriveKey, SignatureV4, type SigningAccount } from './signature-v4.js';

const ACCOUNT: SigningAccount = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const AT = Date.parse('2015-08-30T12:36:00Z');
const HOST = 'https://example.amazonaws.com';
const SESSION_TOKEN =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/' +
  'qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT' +
  '38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==';

const signatureOf = ({ authorization }: Record<string, string>): string => authorization!.split('Signature=')[1]!;

describe('the published suite', () => {
  const service = new SignatureV4('service');

  it.each([
    ['get-vanilla', 'GET', '/', {}, '', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['post-vanilla', 'POST', '/', {}, '', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'post-x-www-form-urlencoded', 'POST', '/', { 'content-type': 'application/x-www-form-urlencoded' }, 'Param1=value1',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
    [
      'get-vanilla-query-order-key-case', 'GET', '/?Param2=value2&Param1=value1', {}, '',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
  ])('%s', (_, method, path, headers, body, signature) => {
    const signed = service.sign({ method, url: HOST + path, headers, body }, ACCOUNT, AT);
    expect(signatureOf(signed)).toBe(signature);
    expect(signed['x-amz-date']).toBe('20150830T123600Z');
    expect(signed['authorization']).toContain('Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ');
  }); // oxfmt-ignore

  it('post-sts-header-before', () => {
    const account = { ...ACCOUNT, sessionToken: SESSION_TOKEN };
    const signed = service.sign({ method: 'POST', url: `${HOST}/`, headers: {}, body: '' }, account, AT);
    expect(signatureOf(signed)).toBe('85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead');
    expect(signed['x-amz-security-token']).toBe(SESSION_TOKEN);
  });

  it('derives the key of the documentation', () => {
    const key = deriveKey(ACCOUNT.secretAccessKey, '20150830', 'us-east-1', 'iam');
    expect(key.toString('hex')).toBe('c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9');
  });
});

describe('a call', () => {
  const bedrock = new SignatureV4('bedrock');
  const url = 'https://bedrock-runtime.us-east-1.amazonaws.com/model/a%3Ab%2Fc/converse';
  const call = { method: 'POST', url, headers: { 'content-type': 'application/json' }, body: '{}' };

  it('is signed with its path escaped once more than it is sent, its host, its date and its token', () => {
    const signed = bedrock.sign(call, { ...ACCOUNT, sessionToken: 'a/token==' }, AT);
    const names = 'content-type;host;x-amz-date;x-amz-security-token';
    const canonical = [
      'POST',
      '/model/a%253Ab%252Fc/converse',
      '',
      'content-type:application/json',
      'host:bedrock-runtime.us-east-1.amazonaws.com',
      'x-amz-date:20150830T123600Z',
      'x-amz-security-token:a/token==',
      '',
      names,
      createHash('sha256').update('{}').digest('hex'),
    ].join('\n');
    const scope = '20150830/us-east-1/bedrock/aws4_request';
    const sum = createHash('sha256').update(canonical).digest('hex');
    const text = `AWS4-HMAC-SHA256\n20150830T123600Z\n${scope}\n${sum}`;
    const key = deriveKey(ACCOUNT.secretAccessKey, '20150830', 'us-east-1', 'bedrock');
    expect(signatureOf(signed)).toBe(createHmac('sha256', key).update(text).digest('hex'));
    expect(signed['authorization']).toContain(`SignedHeaders=${names}, `);
    expect(signed['x-amz-security-token']).toBe('a/token==');
    expect(signed['host']).toBeUndefined();
  });

  it('has one signature, in however many parts its body is', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 20 })), (parts) => {
        const body = parts.map((part) => Buffer.from(part));
        const whole = bedrock.sign({ ...call, body: [Buffer.concat(body)] }, ACCOUNT, AT);
        expect(bedrock.sign({ ...call, body }, ACCOUNT, AT)).toEqual(whole);
      }),
    );
  });

  it('is signed anew where the secret, the region or the day is another, whatever is kept', () => {
    const others = [
      [{ ...ACCOUNT, secretAccessKey: 'another' }, AT],
      [{ ...ACCOUNT, region: 'eu-west-1' }, AT],
      [ACCOUNT, AT + 86_400_000],
    ] as const;
    const first = signatureOf(bedrock.sign(call, ACCOUNT, AT));
    for (const [account, at] of others) {
      expect(signatureOf(bedrock.sign(call, account, at))).not.toBe(first);
      expect(signatureOf(bedrock.sign(call, account, at))).toBe(
        signatureOf(new SignatureV4('bedrock').sign(call, account, at)),
      );
    }
    expect(signatureOf(bedrock.sign(call, ACCOUNT, AT))).toBe(first);
  });
});

/** The hash in the library's interface: a MAC where it passes a key. */
class Sha256 {
  private readonly sum;

  constructor(key?: unknown) {
    this.sum = key === undefined ? createHash('sha256') : createHmac('sha256', key as BinaryLike);
  }

  update(bytes: BinaryLike): void {
    this.sum.update(bytes);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.sum.digest()));
  }

  reset(): void {
    throw new Error('A sum is used once.');
  }
}

/** One call in the terms of both signers. */
interface AnyCall {
  readonly segments: readonly string[];
  readonly query: Readonly<Record<string, readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly account: SigningAccount;
  readonly at: number;
}

const KIB = 1024;
const text = fc.string({ unit: 'grapheme', maxLength: 12 });
/** Includes segments that services normalise or leave out. */
const segment = fc.oneof(
  text,
  fc.constantFrom('', '.', '..', '...', 'a%3Ab', "!*'()", 'a+b c', 'us.anthropic.claude:0'),
);
const words = fc.string({ unit: fc.constantFrom('a', 'B', '7', ' ', '\t', '=', ',', ':', '"'), maxLength: 20 });
const named = <Value>(names: readonly string[], values: fc.Arbitrary<Value>): fc.Arbitrary<Record<string, Value>> =>
  fc.dictionary(fc.constantFrom(...names), values);
const secret = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '/', '+', '='), minLength: 1, maxLength: 60 });
const anyCall: fc.Arbitrary<AnyCall> = fc.record({
  segments: fc.array(segment, { maxLength: 6 }),
  // The library loses names of built-in properties.
  query: fc.dictionary(
    text.filter((name) => name !== '__proto__'),
    fc.array(text, { minLength: 1, maxLength: 3 }),
  ),
  headers: named(['content-type', 'x-amzn-bedrock-service-tier', 'x-amz-a', 'x-amz-a-b', 'accept'], words),
  body: fc
    .tuple(fc.constantFrom(0, 1, 63, 64, 65, 200 * KIB, KIB * KIB), fc.uint8Array({ minLength: 1, maxLength: 8 }))
    .map(([bytes, pattern]) => Buffer.alloc(bytes, pattern)),
  account: fc.record(
    {
      accessKeyId: fc.constantFrom('AKIDEXAMPLE', 'ASIA_7'),
      secretAccessKey: secret,
      region: fc.constantFrom('us-east-1', 'eusc-de-east-1', 'us-gov-west-1'),
      sessionToken: secret,
    },
    { requiredKeys: ['accessKeyId', 'secretAccessKey', 'region'] },
  ),
  at: fc.integer({ min: 0, max: 4_102_444_799_999 }),
});

function urlOf({ segments, query }: AnyCall): URL {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    values.map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
  );
  return new URL(
    `https://bedrock-runtime.us-east-1.amazonaws.com/${segments.map(pathSegment).join('/')}?${pairs.join('&')}`,
  );
}

async function awsSignature(call: AnyCall): Promise<string> {
  const { headers, body, account, at } = call;
  const { hostname, pathname } = urlOf(call);
  const signer = new AwsSigner({
    credentials: account, region: account.region, service: 'bedrock', sha256: Sha256, applyChecksum: false,
  }); // oxfmt-ignore
  const query = Object.fromEntries(Object.entries(call.query).map(([name, values]) => [name, [...values]]));
  const signed = await signer.sign(
    {
      method: 'POST',
      protocol: 'https:',
      hostname,
      path: pathname,
      query,
      headers: { ...headers, host: hostname },
      body,
    },
    { signingDate: new Date(at) },
  );
  return signed.headers['authorization']!;
}

it("is what AWS's own library signs, whatever is called, by whom and when", async () => {
  const bedrock = new SignatureV4('bedrock');
  await fc.assert(
    fc.asyncProperty(anyCall, fc.nat(), async (call, cut) => {
      const { headers, body, account, at } = call;
      const url = urlOf(call).href;
      const parts = [body.subarray(0, cut % (body.length + 1)), body.subarray(cut % (body.length + 1))];
      const signed = bedrock.sign({ method: 'POST', url, headers, body: parts }, account, at);
      expect(signed['authorization']).toBe(await awsSignature(call));
    }),
    { numRuns: 500 },
  );
});
