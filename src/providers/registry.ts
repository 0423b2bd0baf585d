import { Injectable } from '@nestjs/common';
import type { Dialect, ProviderDefinition } from '../core/provider.js';
import type { CatalogProvider } from '../core/routing/catalog.js';
import { definitionOf } from './catalog/index.js';
import { DIALECTS } from './dialects/index.js';

/** What the code knows of the catalog's providers: how they talk, and how a credential is put on a call. */
@Injectable()
export class ProviderRegistry {
  dialect(provider: CatalogProvider): Dialect {
    return DIALECTS[provider.dialect];
  }

  definition(provider: CatalogProvider): ProviderDefinition {
    return definitionOf(provider.slug, this.dialect(provider).defaultCredential);
  }

  /** True when the operator can call the provider without a caller's own credential. */
  isReachable(provider: CatalogProvider): boolean {
    return provider.credential !== undefined || this.definition(provider).credential === 'none';
  }
}
