import { Controller, Get } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { CatalogSnapshot, DataPolicy } from '../core/routing/catalog.js';
import { PUBLISHED_SLUGS } from '../core/routing/published-slugs.js';
import { ProviderRegistry } from '../providers/registry.js';
import { routabilityFields, routabilityOf } from '../providers/routability.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { single } from '../shared/http/reply-schemas.js';
import { OpenWithCatalog } from '../shared/http/route.decorators.js';
import { described, flag, integer, nullable, object, rows, text, titled, type Static } from '../shared/http/schema.js';
import { ProviderHealths } from './provider-healths.js';
import { providerHealthView } from './view-provider-health.js';

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
      retention_days: described('Null: unknown.', nullable(integer())),
      zero_data_retention: flag(),
      region: nullable(text()),
    }),
    ...routabilityFields,
    needs_own_credential: described(
      'The operator has no credential for it: only callers with a credential of their own reach it.',
      flag(),
    ),
    ...providerHealthView,
  }),
);
const providersReply = single(rows(providerView));

/** The policy where the catalog has none. */
const UNKNOWN_POLICY: DataPolicy = { collectsData: true, zeroDataRetention: false };

/**
 * The directory of providers (docs/use/models.md#a-provider): those of the catalog, then all others that a credential
 * can be stored for; with names, slugs, data policies, whether requests can be sent to them, and their health. The
 * catalog has no addresses of their pages.
 */
@Controller('providers')
export class ProvidersController {
  constructor(
    private readonly catalog: CatalogStore,
    private readonly healths: ProviderHealths,
    private readonly registry: ProviderRegistry,
  ) {}

  @Get()
  @OpenWithCatalog()
  @Answers(providersReply, { summary: 'List providers' })
  list(): Static<typeof providersReply> {
    const catalog = this.catalog.current;
    const slugs = new Set([...catalog.providers.keys(), ...PUBLISHED_SLUGS]);
    return { data: Array.from(slugs, (slug) => this.view(slug, catalog)) };
  }

  private view(slug: string, catalog: CatalogSnapshot): Static<typeof providerView> {
    const provider = catalog.providers.get(slug);
    return {
      ...viewProvider(slug, catalog),
      needs_own_credential: !provider || !this.registry.isReachable(provider),
      ...this.healths.of(slug),
    };
  }
}

function viewProvider(slug: string, catalog: CatalogSnapshot) {
  const { name, policy } = catalog.providers.get(slug) ?? { name: slug, policy: UNKNOWN_POLICY };
  return {
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
    ...routabilityOf(slug, catalog),
  };
}
