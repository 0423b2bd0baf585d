import { Controller, Get, Header } from '@nestjs/common';
import { RoutingPolicies } from '../accounts/routing-policies.js';
import type { Caller } from '../core/caller.js';
import { Clock } from '../core/time.js';
import { ActiveGuardrails } from '../guardrails/active-guardrails.js';
import { HealthRegistry } from '../endpoint-health/health-registry.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { single } from '../shared/http/reply-schemas.js';
import { FromQuery } from '../shared/http/parameter-types.js';
import { FromCaller, OpenWithCatalog } from '../shared/http/route.decorators.js';
import { described, flag, integer, nullable, object, rows, text, type Static } from '../shared/http/schema.js';
import { listAllowed } from './allowed-entries.js';
import { CallableEntries } from './callable-entries.js';
import { CatalogViews } from './catalog-views.js';
import { ListModelsDto } from './list-models.dto.js';
import type { IsCallable, ModelEntry } from './model-entry.js';
import { selectEntries } from './model-filters.js';
import { orderEntries } from './model-order.js';
import { printModelPage } from './model-page.js';
import { PresetEntries } from './preset-entries.js';
import { modelView } from './view-model.js';

const PATH = '/api/v1/models';
const EMBEDDINGS: readonly string[] = ['embeddings'];

const modelPage = object({
  data: rows(modelView),
  total_count: integer(),
  links: object({ next: nullable(text()) }),
  has_more: described(
    'There is a next page: `links.next` leads to it, as `after_id` with the last id does, or `before_id` with the first.',
    flag(),
  ),
  first_id: nullable(text()),
  last_id: nullable(text()),
});
const countReply = single(object({ count: integer() }));

/**
 * Lists of models (docs/use/models.md#models-and-providers). Their bodies are assembled from printed views,
 * so nothing is printed again here.
 */
@Controller()
export class ModelsController {
  constructor(
    private readonly views: CatalogViews,
    private readonly callable: CallableEntries,
    private readonly health: HealthRegistry,
    private readonly policies: RoutingPolicies,
    private readonly guardrails: ActiveGuardrails,
    private readonly clock: Clock,
    private readonly presets: PresetEntries,
  ) {}

  @Get('models')
  @OpenWithCatalog()
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Answers(modelPage, { summary: 'List models', description: 'All models, unless a page is requested.' })
  async list(@FromQuery() query: ListModelsDto, @FromCaller() caller: Caller | undefined): Promise<string> {
    return this.page(this.views.current().entries, query, PATH, await this.callable.by(caller));
  }

  @Get('models/count')
  @OpenWithCatalog()
  @Answers(countReply, { summary: 'Count models' })
  async count(
    @FromQuery() query: ListModelsDto,
    @FromCaller() caller: Caller | undefined,
  ): Promise<Static<typeof countReply>> {
    const isCallable = await this.callable.by(caller);
    return { data: { count: selectEntries(this.views.current().entries, query, isCallable, this.clock.now()).length } };
  }

  /**
   * The models that the policies of the caller's account, workspace, key and guardrails allow, whatever the
   * credentials.
   */
  @Get('models/user')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Answers(modelPage, {
    summary: 'List the models that this key may use',
    description: 'With the presets of its workspace that name one of them.',
  })
  async listForUser(@FromQuery() query: ListModelsDto, @FromCaller() caller: Caller): Promise<string> {
    const [own, guardrails, isCallable] = await Promise.all([
      this.policies.of(caller),
      this.guardrails.of(caller),
      this.callable.by(caller),
    ]);
    const allowed = listAllowed(this.views.current(), [...own.routing, ...guardrails.policies]);
    return this.page([...allowed, ...(await this.presets.of(caller, allowed))], query, `${PATH}/user`, isCallable);
  }

  /** Alias of `/models?output_modalities=embeddings`. */
  @Get('embeddings/models')
  @OpenWithCatalog()
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Answers(modelPage, { summary: 'List models of embeddings', description: 'With the parameters of `/models`.' })
  async listEmbeddings(@FromQuery() query: ListModelsDto, @FromCaller() caller: Caller | undefined): Promise<string> {
    query.output_modalities = EMBEDDINGS;
    return this.page(this.views.current().entries, query, '/api/v1/embeddings/models', await this.callable.by(caller));
  }

  private page(entries: readonly ModelEntry[], query: ListModelsDto, path: string, isCallable: IsCallable): string {
    const selected = selectEntries(entries, query, isCallable, this.clock.now());
    const ordered = orderEntries(selected, query.sort, this.health.snapshot());
    return printModelPage(ordered, query, path, isCallable);
  }
}
