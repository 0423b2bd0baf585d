import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { LimitsModule } from '../limits/limits.module.js';
import { PluginsModule } from '../plugins/plugins.module.js';
import { RoutingModule } from '../routing/routing.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { Admission } from './admission.js';
import { BillingService } from './billing.service.js';
import { CountTokens } from './count-tokens.js';
import { CreateCompletion } from './create-completion.js';
import { Delivery } from './delivery.js';
import { ExplainRoute } from './explain-route.js';
import { Extensions } from './extensions.js';
import { GenerationContexts } from './generation-contexts.js';
import { PdfCounter } from './pdf-counter.js';
import { Consultations } from './plugins/consultations.js';
import { PluginSets } from './plugins/plugin-sets.js';
import { RefusalRecords } from './refusal-records.js';
import { RequestPlanner } from './request-planner.js';
import { ToolLoops } from './tools/tool-loops.js';
import { ToolOffers } from './tools/tool-offers.js';

@Module({
  imports: [AccountsModule, GuardrailsModule, LedgerModule, LimitsModule, PluginsModule, RoutingModule, ToolsModule],
  providers: [
    Admission,
    BillingService,
    Consultations,
    CountTokens,
    CreateCompletion,
    Delivery,
    ExplainRoute,
    Extensions,
    GenerationContexts,
    PdfCounter,
    PluginSets,
    RefusalRecords,
    RequestPlanner,
    ToolLoops,
    ToolOffers,
  ],
  exports: [CountTokens, CreateCompletion, Delivery, ExplainRoute],
})
export class InferenceModule {}
