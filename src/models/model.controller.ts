import { Controller, Get, Header, Param } from '@nestjs/common';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import type { Model } from '../core/routing/catalog.js';
import { readModelName } from '../core/routing/model-name.js';
import { modelId } from '../core/routing/resolve-model.js';
import { shortened } from '../core/shortened.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { single } from '../shared/http/reply-schemas.js';
import { FromCaller, OpenWithCatalog } from '../shared/http/route.decorators.js';
import { object, rows, titled, type Static } from '../shared/http/schema.js';
import { CallableEntries } from './callable-entries.js';
import { CatalogViews } from './catalog-views.js';
import { EndpointViews } from './endpoint-views.js';
import { printEntry } from './model-entry.js';
import { endpointView } from './view-endpoint.js';
import { createdOf, modelHead, modelView, retrievedModel, viewArchitecture } from './view-model.js';

const modelEndpoints = titled('model-endpoints', object({ ...modelHead, endpoints: rows(endpointView) }));
const modelEndpointsReply = single(modelEndpoints);
const endpointsReply = single(rows(endpointView));

/**
 * One model, its endpoints, and the endpoints with zero data retention
 * (docs/use/models.md#models-and-providers).
 */
@Controller()
@OpenWithCatalog()
export class ModelController {
  constructor(
    private readonly catalog: CatalogStore,
    private readonly views: CatalogViews,
    private readonly callable: CallableEntries,
    private readonly endpoints: EndpointViews,
  ) {}

  /**
   * Note the singular. Routing suffixes such as `:nitro` name the same model; a variant that the catalog does not have
   * names none.
   */
  @Get('model/:author/:slug')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Answers(single(modelView), { summary: 'Show a model' })
  async show(
    @Param('author') author: string,
    @Param('slug') slug: string,
    @FromCaller() caller: Caller | undefined,
  ): Promise<string> {
    return `{"data":${await this.print(`${author}/${slug}`, caller)}}`;
  }

  /** Clients' `models.retrieve`, which encodes the whole name as one part of the path. */
  @Get('models/:name')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Answers(retrievedModel, {
    summary: 'Retrieve a model by any of its names',
    description: 'The id is encoded, `acme%2Fant`, or it is a name without an author.',
  })
  async retrieve(@Param('name') name: string, @FromCaller() caller: Caller | undefined): Promise<string> {
    const json = await this.print(name, caller);
    return `${json.slice(0, -1)},"data":${json}}`;
  }

  /**
   * The id is encoded as one part of the path, or it is a name without an author. A variant that does not exist of a
   * model that does is no mistake: it has no endpoints (docs/use/choosing-providers.md#suffixes-of-models).
   */
  @Get('models/:name/endpoints')
  @Answers(modelEndpointsReply, { summary: 'List the endpoints of a model by any of its names' })
  listEndpointsByName(@Param('name') name: string): Static<typeof modelEndpointsReply> {
    const id = this.idOf(name);
    const { models } = this.catalog.current;
    const model = models.get(id);
    const plain = model ?? models.get(id.split(':')[0]!);
    if (!plain) throw unknownModel(id);
    return { data: { ...viewHead(plain, id), endpoints: model ? this.endpoints.of(model) : [] } };
  }

  @Get('models/:author/:slug')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Answers(retrievedModel, { summary: 'Retrieve a model' })
  retrieveById(
    @Param('author') author: string,
    @Param('slug') slug: string,
    @FromCaller() caller: Caller | undefined,
  ): Promise<string> {
    return this.retrieve(`${author}/${slug}`, caller);
  }

  @Get('models/:author/:slug/endpoints')
  @Answers(modelEndpointsReply, { summary: 'List the endpoints of a model, with their health' })
  listEndpoints(@Param('author') author: string, @Param('slug') slug: string): Static<typeof modelEndpointsReply> {
    return this.listEndpointsByName(`${author}/${slug}`);
  }

  @Get('endpoints/zdr')
  @Answers(endpointsReply, { summary: 'List the endpoints with zero data retention' })
  listZdr(): Static<typeof endpointsReply> {
    const models = [...this.catalog.current.models.values()];
    return { data: models.flatMap((model) => this.endpoints.of(model, ({ policy }) => policy.zeroDataRetention)) };
  }

  /** @throws GatewayError `not-found` */
  private async print(name: string, caller: Caller | undefined): Promise<string> {
    const isCallable = await this.callable.by(caller);
    const id = this.idOf(name);
    const entry = this.views.current().find(id);
    if (!entry) throw unknownModel(id);
    return printEntry(entry, isCallable);
  }

  private idOf(name: string): string {
    const { id } = readModelName(name);
    return modelId(this.catalog.current, id) ?? id;
  }
}

const viewHead = (model: Model, id: string): Omit<Static<typeof modelEndpoints>, 'endpoints'> => ({
  id,
  name: model.name,
  created: createdOf(model),
  // The wire format requires a string.
  description: '',
  architecture: { ...viewArchitecture(model), tokenizer: null },
});

const unknownModel = (id: string): GatewayError =>
  new GatewayError('not-found', `${JSON.stringify(shortened(id))} is not in the catalog`);
