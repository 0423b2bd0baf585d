import type { Secret } from '../../core/secret.js';
import { KeyService, Undecryptable, type WrappedKey } from './key-service.js';
import { open, seal } from './sealed-box.js';

/** Keys of `FAIRLEAD_ENCRYPTION_KEYS`: the first wraps, all unwrap. */
export class LocalKeyService extends KeyService {
  readonly currentKeyId: string;
  private readonly keys: ReadonlyMap<string, Buffer>;

  /** @param keys 32 bytes each, as base64; at least one */
  constructor(keys: readonly { readonly id: string; readonly key: Secret }[]) {
    super();
    const [first] = keys;
    if (!first) throw new RangeError('The vault needs a key to encrypt with.');
    this.currentKeyId = first.id;
    this.keys = new Map(keys.map(({ id, key }) => [id, Buffer.from(key.reveal(), 'base64')]));
  }

  async wrap(dataKey: Buffer, context: string): Promise<WrappedKey> {
    return { keyId: this.currentKeyId, wrapped: seal(dataKey, this.keys.get(this.currentKeyId)!, context) };
  }

  async unwrap({ keyId, wrapped }: WrappedKey, context: string): Promise<Buffer> {
    const key = this.keys.get(keyId);
    if (!key)
      throw new Undecryptable(`The encryption key ${JSON.stringify(keyId)} is not among those of this process.`);
    return open(wrapped, key, context);
  }
}
