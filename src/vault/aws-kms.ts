import type { Clock } from '../core/time.js';
import type { KeyServiceSetting } from '../shared/environment.js';
import { SignatureV4, type SigningAccount } from '../shared/http/client/signature-v4.js';
import { KeyService, Undecryptable, unknownKey, type WrappedKey } from './key-service.js';
import { bytesOf, ExternalCall, textOf, type CallLimits, type Meaning, type Reply } from './external-call.js';
import { KEY_BYTES } from './sealed-box.js';

type Setting = Extract<KeyServiceSetting, { kind: 'aws-kms' }>;

/** The maximum size that Decrypt accepts. */
const CIPHERTEXT_BYTES_MAX = 6_144;
const CONTEXT_NAME = 'fairlead-credential';

/**
 * Errors of the stored bytes, not of this process: https://docs.aws.amazon.com/kms/latest/APIReference/API_Decrypt.html
 */
const UNDECRYPTABLE = ['InvalidCiphertextException', 'IncorrectKeyException'];
const BUSY = ['ThrottlingException', 'KeyUnavailableException', 'DependencyTimeoutException', 'LimitExceededException'];
const REFUSALS = [
  'AccessDeniedException',
  'DisabledException',
  'ExpiredTokenException',
  'IncompleteSignatureException',
  'InvalidArnException',
  'InvalidClientTokenId',
  'InvalidKeyUsageException',
  'InvalidSignatureException',
  'KMSInvalidStateException',
  'MissingAuthenticationTokenException',
  'NotFoundException',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
  'ValidationException',
];

/**
 * A symmetric key of AWS KMS, over its JSON protocol. The context is its encryption context, so that its audit trail
 * shows the credential.
 */
export class AwsKms extends KeyService {
  readonly currentKeyId: string;
  private readonly call: ExternalCall;
  private readonly signature = new SignatureV4('kms');

  constructor(
    private readonly setting: Setting,
    private readonly clock: Clock,
    limits?: Partial<CallLimits>,
  ) {
    super();
    this.currentKeyId = `aws-kms:${setting.keyId}`;
    this.call = new ExternalCall('AWS KMS', limits);
  }

  async wrap(dataKey: Buffer, context: string): Promise<WrappedKey> {
    const reply = await this.send('Encrypt', { Plaintext: dataKey.toString('base64') }, context);
    const wrapped = bytesOf(textOf(reply, 'CiphertextBlob'));
    if (!wrapped || wrapped.length > CIPHERTEXT_BYTES_MAX) throw this.call.malformed();
    return { keyId: this.currentKeyId, wrapped };
  }

  async unwrap({ keyId, wrapped }: WrappedKey, context: string): Promise<Buffer> {
    if (keyId !== this.currentKeyId) throw unknownKey(keyId);
    if (wrapped.length === 0 || wrapped.length > CIPHERTEXT_BYTES_MAX) {
      throw new Undecryptable('The stored bytes are not of the length that AWS KMS gives.');
    }
    const reply = await this.send('Decrypt', { CiphertextBlob: wrapped.toString('base64') }, context);
    const dataKey = bytesOf(textOf(reply, 'Plaintext'));
    if (dataKey?.length !== KEY_BYTES) throw this.call.malformed();
    return dataKey;
  }

  private send(action: 'Encrypt' | 'Decrypt', input: object, context: string): Promise<unknown> {
    const { setting } = this;
    const url = `${setting.endpoint}/`;
    const body = JSON.stringify({ KeyId: setting.keyId, EncryptionContext: { [CONTEXT_NAME]: context }, ...input });
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${action}` };
    return this.call.send(() => {
      const call = { method: 'POST', url, headers, body };
      return { url, headers: { ...headers, ...this.signature.sign(call, accountOf(setting), this.clock.now()) }, body };
    }, meaningOf);
  }
}

const accountOf = ({ accessKeyId, secretAccessKey, sessionToken, region }: Setting): SigningAccount => ({
  accessKeyId: accessKeyId.reveal(),
  secretAccessKey: secretAccessKey.reveal(),
  ...(sessionToken && { sessionToken: sessionToken.reveal() }),
  region,
});

function meaningOf({ status, body }: Reply): Meaning {
  // Some front ends put a namespace before the name.
  const type = textOf(body, '__type')?.split('#').at(-1) ?? '';
  if (status === 400 && UNDECRYPTABLE.includes(type)) return { undecryptable: true };
  const reason = [...BUSY, ...REFUSALS].find((known) => known === type);
  return { again: status >= 500 || status === 429 || BUSY.includes(type), ...(reason !== undefined && { reason }) };
}
