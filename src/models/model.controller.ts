import { Controller, Get, Header, Param } from '@nestjs/common';
import { CatalogStore } from '../catalog/catalog-store.js';
import { GatewayError } from '../core/errors.js';
import type { Model } from '../core/routing/catalog.js';
import { readModelName } from '../core/routing/model-name.js';
import { modelId } from '../core/routing/resolve-model.js';
import { shortened } from '../core/shortened.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { one } from '../shared/http/replies.js';
import { object, rows, titled, type Static } from '../shared/http/schema.js';
import { CatalogViews } from './catalog-views.js';
import { EndpointViews } from './endpoint-views.js';
import { endpointView } from './view-endpoint.js';
import { CREATED_UNKNOWN, modelHead, modelView, viewArchitecture } from './view-model.js';

const modelEndpoints = titled('model-endpoints', object({ ...modelHead, endpoints: rows(endpointView) }));
const modelEndpointsReply = one(modelEndpoints);
const endpointsReply = one(rows(endpointView));

/** One model, its endpoints, and the endpoints that keep nothing (docs/models.md#the-catalogue-as-callers-see-it). */
@Controller()
export class ModelController {
  constructor(
    private readonly catalog: CatalogStore,
    private readonly views: CatalogViews,
    private readonly endpoints: EndpointViews,
  ) {}

  /**
   * Mind the singular. Routing suffixes such as `:nitro` name the same model; a variant the catalog
   * does not have names none.
   */
  @Get('model/:author/:slug')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Answers(one(modelView), { summary: 'Show a model' })
  show(@Param('author') author: string, @Param('slug') slug: string): string {
    const id = this.idOf(author, slug);
    const entry = this.views.current().find(id);
    if (!entry) throw unknownModel(id);
    return `{"data":${entry.json}}`;
  }

  /**
   * A variant that does not exist of a model that does is no mistake: it has no endpoints
   * (docs/wire/routing.md#suffixes-of-models).
   */
  @Get('models/:author/:slug/endpoints')
  @Answers(modelEndpointsReply, { summary: 'List the endpoints of a model, with their health' })
  listEndpoints(@Param('author') author: string, @Param('slug') slug: string): Static<typeof modelEndpointsReply> {
    const id = this.idOf(author, slug);
    const { models } = this.catalog.current;
    const model = models.get(id);
    const plain = model ?? models.get(id.split(':')[0]!);
    if (!plain) throw unknownModel(id);
    return { data: { ...viewHead(plain, id), endpoints: model ? this.endpoints.of(model) : [] } };
  }

  @Get('endpoints/zdr')
  @Answers(endpointsReply, { summary: 'List the endpoints that keep nothing' })
  listZdr(): Static<typeof endpointsReply> {
    const models = [...this.catalog.current.models.values()];
    return { data: models.flatMap((model) => this.endpoints.of(model, ({ policy }) => policy.zeroDataRetention)) };
  }

  private idOf(author: string, slug: string): string {
    const { id } = readModelName(`${author}/${slug}`);
    return modelId(this.catalog.current, id) ?? id;
  }
}

const viewHead = (model: Model, id: string): Omit<Static<typeof modelEndpoints>, 'endpoints'> => ({
  id,
  name: model.name,
  created: CREATED_UNKNOWN,
  // The wire demands a text.
  description: '',
  architecture: { ...viewArchitecture(model), tokenizer: null },
});

const unknownModel = (id: string): GatewayError =>
  new GatewayError('not-found', `${JSON.stringify(shortened(id))} is not in the catalog`);
