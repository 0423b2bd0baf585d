import { Controller, Get } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CatalogStore } from '../catalog/catalog-store.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { one } from '../shared/http/replies.js';
import { described, flag, integer, nullable, object, rows, text, titled, type Static } from '../shared/http/schema.js';

const providerView = titled(
  'provider',
  object({
    name: text(),
    slug: text(),
    privacy_policy_url: Type.Null(),
    terms_of_service_url: Type.Null(),
    status_page_url: Type.Null(),
    data_policy: object({
      collects_data: flag(),
      trains: flag(),
      retention_days: described('Null: nobody said.', nullable(integer())),
      zero_data_retention: flag(),
      region: nullable(text()),
    }),
  }),
);
const providersReply = one(rows(providerView));

/**
 * The directory of providers (docs/models.md#the-catalogue-as-callers-see-it): names, slugs and what they do with
 * data. Of their pages the catalog says nothing.
 */
@Controller('providers')
export class ProvidersController {
  constructor(private readonly catalog: CatalogStore) {}

  @Get()
  @Answers(providersReply, { summary: 'List providers' })
  list(): Static<typeof providersReply> {
    const providers = [...this.catalog.current().providers.values()];
    return {
      data: providers.map(({ name, slug, policy }) => ({
        name,
        slug,
        privacy_policy_url: null,
        terms_of_service_url: null,
        status_page_url: null,
        data_policy: {
          collects_data: policy.collectsData,
          trains: policy.trains ?? policy.collectsData,
          retention_days: policy.retentionDays ?? null,
          zero_data_retention: policy.zeroDataRetention,
          region: policy.region ?? null,
        },
      })),
    };
  }
}
