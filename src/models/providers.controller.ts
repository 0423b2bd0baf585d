import { Controller, Get } from '@nestjs/common';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { JsonObject } from '../core/json.js';

/** The directory of providers (WIRE 2.5): names and slugs. Of their pages and places the catalog says nothing. */
@Controller('providers')
export class ProvidersController {
  constructor(private readonly catalog: CatalogStore) {}

  @Get()
  list(): JsonObject {
    const providers = [...this.catalog.current().providers.values()];
    return {
      data: providers.map(({ name, slug }) => ({
        name,
        slug,
        privacy_policy_url: null,
        terms_of_service_url: null,
        status_page_url: null,
      })),
    };
  }
}
