import { KeyService, unknownKey, type WrappedKey } from './key-service.js';

/** Several services whose key ids differ: the first wraps, each unwraps its own. */
export class JoinedKeyService extends KeyService {
  private readonly services: readonly KeyService[];

  constructor(
    private readonly first: KeyService,
    ...others: readonly KeyService[]
  ) {
    super();
    this.services = [first, ...others];
  }

  get currentKeyId(): string {
    return this.first.currentKeyId;
  }

  override unwraps(keyId: string): boolean {
    return this.services.some((service) => service.unwraps(keyId));
  }

  wrap(dataKey: Buffer, context: string): Promise<WrappedKey> {
    return this.first.wrap(dataKey, context);
  }

  async unwrap(key: WrappedKey, context: string): Promise<Buffer> {
    const service = this.services.find((each) => each.unwraps(key.keyId));
    if (!service) throw unknownKey(key.keyId);
    return service.unwrap(key, context);
  }
}
