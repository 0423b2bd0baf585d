import type { Secret } from '../core/secret.js';
import { KeyService, unknownKey, type WrappedKey } from './key-service.js';
import { open, seal } from './sealed-box.js';

/** Keys of `FAIRLEAD_ENCRYPTION_KEYS`: the first wraps, all unwrap. */
export class LocalKeyService extends KeyService {
  readonly currentKeyId: string;
  /** Private to the runtime too, so that no inspection prints them. */
  readonly #keys: ReadonlyMap<string, Buffer>;

  /** @param keys 32 bytes each, as base64; at least one */
  constructor(keys: readonly { readonly id: string; readonly key: Secret }[]) {
    super();
    const [first] = keys;
    if (!first) throw new RangeError('The vault needs a key to encrypt with.');
    this.currentKeyId = first.id;
    this.#keys = new Map(keys.map(({ id, key }) => [id, Buffer.from(key.reveal(), 'base64')]));
  }

  override unwraps(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  async wrap(dataKey: Buffer, context: string): Promise<WrappedKey> {
    return { keyId: this.currentKeyId, wrapped: seal(dataKey, this.#keys.get(this.currentKeyId)!, context) };
  }

  async unwrap({ keyId, wrapped }: WrappedKey, context: string): Promise<Buffer> {
    const key = this.#keys.get(keyId);
    if (!key) throw unknownKey(keyId);
    return open(wrapped, key, context);
  }
}
