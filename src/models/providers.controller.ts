import { Controller, Get } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CatalogStore } from '../catalog/catalog-store.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { one } from '../shared/http/replies.js';
import { object, rows, text, titled, type Static } from '../shared/http/schema.js';

const providerView = titled(
  'provider',
  object({
    name: text(),
    slug: text(),
    privacy_policy_url: Type.Null(),
    terms_of_service_url: Type.Null(),
    status_page_url: Type.Null(),
  }),
);
const providersReply = one(rows(providerView));

/**
 * The directory of providers (docs/models.md#the-catalogue-as-callers-see-it): names and slugs. Of their pages and
 * places the catalog says nothing.
 */
@Controller('providers')
export class ProvidersController {
  constructor(private readonly catalog: CatalogStore) {}

  @Get()
  @Answers(providersReply, { summary: 'List providers' })
  list(): Static<typeof providersReply> {
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
