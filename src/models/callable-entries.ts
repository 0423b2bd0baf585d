import { Injectable } from '@nestjs/common';
import { CredentialStore } from '../byok/credential-store.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { Caller } from '../core/caller.js';
import { inOrder, listCopies } from '../core/routing/credential-copies.js';
import type { StoredCredential } from '../core/routing/credential.js';
import { withAllowedIds } from '../core/routing/resolve-model.js';
import { ProviderRegistry } from '../providers/registry.js';
import type { IsCallable } from './model-entry.js';

const NONE: readonly StoredCredential[] = [];

/** Finds the models that can be called, by the same rules as routing, without policies. */
@Injectable()
export class CallableEntries {
  constructor(
    private readonly catalog: CatalogStore,
    private readonly registry: ProviderRegistry,
    private readonly credentials: CredentialStore,
  ) {}

  /**
   * @param caller undefined: an unauthenticated one, without credentials of its own
   * @throws GatewayError `service-unavailable` where the store does not answer in time
   */
  async by(caller: Caller | undefined): Promise<IsCallable> {
    const stored = caller ? await this.credentials.usableBy(caller) : NONE;
    const own = inOrder(withAllowedIds(stored, this.catalog.current));
    return ({ model, endpoints }) =>
      endpoints.some(
        ({ provider }) => listCopies(provider, model.id, own, this.registry.isReachable(provider)).length > 0,
      );
  }
}
