import type { KeyServiceSetting } from '../shared/environment.js';
import { KeyService, Undecryptable, unknownKey, type WrappedKey } from './key-service.js';
import { bytesOf, memberOf, ExternalCall, textOf, type CallLimits, type Meaning, type Reply } from './external-call.js';
import { KEY_BYTES } from './sealed-box.js';

type Setting = Extract<KeyServiceSetting, { kind: 'vault-transit' }>;

/** A ciphertext such as `vault:v3:…`; the version is Vault's own. */
const CIPHERTEXT = /^vault:v\d{1,9}:[A-Za-z0-9+/=]{1,2048}$/;
/** Vault's messages for bytes or context other than the sealed ones. */
const UNDECRYPTABLE = /message authentication failed|invalid ciphertext|unable to decrypt/;

/**
 * A key of the transit engine of HashiCorp Vault: one that authenticates data (`aes256-gcm96`, `chacha20-poly1305`),
 * derived or not. The context is sent both as `associated_data` and as the derivation's `context`.
 */
export class VaultTransit extends KeyService {
  readonly currentKeyId: string;
  private readonly call: ExternalCall;

  constructor(
    private readonly setting: Setting,
    limits?: Partial<CallLimits>,
  ) {
    super();
    this.currentKeyId = `vault-transit:${setting.mount}/${setting.key}`;
    this.call = new ExternalCall('HashiCorp Vault', limits);
  }

  async wrap(dataKey: Buffer, context: string): Promise<WrappedKey> {
    const ciphertext = await this.send('encrypt', { plaintext: dataKey.toString('base64') }, context, 'ciphertext');
    if (ciphertext === undefined || !CIPHERTEXT.test(ciphertext)) throw this.call.malformed();
    return { keyId: this.currentKeyId, wrapped: Buffer.from(ciphertext) };
  }

  async unwrap({ keyId, wrapped }: WrappedKey, context: string): Promise<Buffer> {
    if (keyId !== this.currentKeyId) throw unknownKey(keyId);
    const ciphertext = wrapped.toString('latin1');
    if (!CIPHERTEXT.test(ciphertext)) throw new Undecryptable('The stored bytes are not of the form that Vault gives.');
    const dataKey = bytesOf(await this.send('decrypt', { ciphertext }, context, 'plaintext'));
    if (dataKey?.length !== KEY_BYTES) throw this.call.malformed();
    return dataKey;
  }

  private async send(
    action: 'encrypt' | 'decrypt',
    input: object,
    context: string,
    answer: string,
  ): Promise<string | undefined> {
    const { address, mount, key, token, namespace } = this.setting;
    const encoded = Buffer.from(context).toString('base64');
    const call = {
      url: `${address}/v1/${mount}/${action}/${key}`,
      headers: {
        'x-vault-token': token.reveal(),
        // Agents and proxies of Vault may require it: no browser can be made to send it.
        'x-vault-request': 'true',
        ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
      },
      body: JSON.stringify({ ...input, associated_data: encoded, context: encoded }),
    };
    const reply = await this.call.send(
      () => call,
      (refusal) => meaningOf(refusal, action),
    );
    return textOf(memberOf(reply, 'data'), answer);
  }
}

function meaningOf({ status, body }: Reply, action: 'encrypt' | 'decrypt'): Meaning {
  const errors = memberOf(body, 'errors');
  const texts = Array.isArray(errors) ? errors.filter((text) => typeof text === 'string') : [];
  const opens = !texts.some((text) => UNDECRYPTABLE.test(text));
  // 503 is a sealed Vault, 473 and 472 are standby nodes.
  if (action === 'decrypt' && !opens && (status === 400 || status === 500)) return { undecryptable: true };
  return { again: status >= 500 || status === 429 || status === 472 || status === 473 };
}
