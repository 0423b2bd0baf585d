import { Controller, Get, Header, Param } from '@nestjs/common';
import { CatalogStore } from '../catalog/catalog-store.js';
import { GatewayError } from '../core/errors.js';
import type { JsonObject } from '../core/json.js';
import type { Model } from '../core/routing/catalog.js';
import { readModelName } from '../core/routing/model-name.js';
import { shortened } from '../shared/http/schema.js';
import { CatalogViews } from './catalog-views.js';
import { EndpointViews } from './endpoint-views.js';
import { CREATED_UNKNOWN, viewArchitecture } from './view-model.js';

/** One model, its endpoints, and the endpoints that keep nothing (WIRE 2.5). */
@Controller()
export class ModelController {
  constructor(
    private readonly catalog: CatalogStore,
    private readonly views: CatalogViews,
    private readonly endpoints: EndpointViews,
  ) {}

  /** Mind the singular. Routing suffixes such as `:nitro` name the same model; a variant the catalog does not have names none. */
  @Get('model/:author/:slug')
  @Header('Content-Type', 'application/json; charset=utf-8')
  show(@Param('author') author: string, @Param('slug') slug: string): string {
    const { id } = readModelName(`${author}/${slug}`);
    const entry = this.views.current().find(id);
    if (!entry) throw unknownModel(id);
    return `{"data":${entry.json}}`;
  }

  /** A variant that does not exist of a model that does is no mistake: it has no endpoints (WIRE 3.3). */
  @Get('models/:author/:slug/endpoints')
  listEndpoints(@Param('author') author: string, @Param('slug') slug: string): JsonObject {
    const { id } = readModelName(`${author}/${slug}`);
    const { models } = this.catalog.current();
    const model = models.get(id);
    const plain = model ?? models.get(id.split(':')[0]!);
    if (!plain) throw unknownModel(id);
    return { data: { ...viewHead(plain, id), endpoints: model ? this.endpoints.of(model) : [] } };
  }

  @Get('endpoints/zdr')
  listZdr(): JsonObject {
    const models = [...this.catalog.current().models.values()];
    return { data: models.flatMap((model) => this.endpoints.of(model, ({ policy }) => policy.zeroDataRetention)) };
  }
}

const viewHead = (model: Model, id: string): JsonObject => ({
  id,
  name: model.name,
  created: CREATED_UNKNOWN,
  // The wire demands a text.
  description: '',
  architecture: { ...viewArchitecture(model), tokenizer: null },
});

const unknownModel = (id: string): GatewayError =>
  new GatewayError('not-found', `${JSON.stringify(shortened(id))} is not in the catalog`);
