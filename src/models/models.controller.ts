import { Controller, Get, Header, Query } from '@nestjs/common';
import { RoutingPolicies } from '../accounts/routing-policies.js';
import type { Caller } from '../core/caller.js';
import { ActiveGuardrails } from '../guardrails/active-guardrails.js';
import { HealthRegistry } from '../health/health-registry.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { one } from '../shared/http/replies.js';
import { FromCaller } from '../shared/http/route.decorators.js';
import { integer, nullable, object, rows, text, type Static } from '../shared/http/schema.js';
import { listAllowed } from './allowed-entries.js';
import { CatalogViews } from './catalog-views.js';
import { ListModelsDto } from './list-models.dto.js';
import type { ModelEntry } from './model-entry.js';
import { selectEntries } from './model-filters.js';
import { orderEntries } from './model-order.js';
import { printModelPage } from './model-page.js';
import { modelView } from './view-model.js';

const PATH = '/api/v1/models';

const modelPage = object({ data: rows(modelView), total_count: integer(), links: object({ next: nullable(text()) }) });
const countReply = one(object({ count: integer() }));

/**
 * Lists of models (docs/models.md#the-catalogue-as-callers-see-it). Their bodies are put together from views printed
 * before, so nothing is printed again here.
 */
@Controller('models')
export class ModelsController {
  constructor(
    private readonly views: CatalogViews,
    private readonly health: HealthRegistry,
    private readonly policies: RoutingPolicies,
    private readonly guardrails: ActiveGuardrails,
  ) {}

  @Get()
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Answers(modelPage, { summary: 'List models', description: 'All of them, unless a page is asked for.' })
  list(@Query() query: ListModelsDto): string {
    return this.page(this.views.current().entries, query, PATH);
  }

  @Get('count')
  @Answers(countReply, { summary: 'Count models' })
  count(@Query() query: ListModelsDto): Static<typeof countReply> {
    return { data: { count: selectEntries(this.views.current().entries, query).length } };
  }

  /**
   * What the caller's account, workspace, key and guardrails leave of the catalog. Which credentials there are is not
   * asked.
   */
  @Get('user')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Answers(modelPage, { summary: 'List the models that this key may use' })
  async listForUser(@Query() query: ListModelsDto, @FromCaller() caller: Caller): Promise<string> {
    const [own, guardrails] = await Promise.all([this.policies.of(caller), this.guardrails.of(caller)]);
    const allowed = listAllowed(this.views.current(), [...own.routing, ...guardrails.policies]);
    return this.page(allowed, query, `${PATH}/user`);
  }

  private page(entries: readonly ModelEntry[], query: ListModelsDto, path: string): string {
    const ordered = orderEntries(selectEntries(entries, query), query.sort, this.health.snapshot());
    return printModelPage(ordered, query, path);
  }
}
