import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { LimitsModule } from '../rate-limits/limits.module.js';
import { PluginsModule } from '../plugins/plugins.module.js';
import { RoutingModule } from '../routing/routing.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { Admission } from './admission.js';
import { BillingService } from './billing.service.js';
import { CountTokens } from './count-tokens.js';
import { CreateCompletion } from './create-completion.js';
import { ExplainRoute } from './explain-route.js';
import { Extensions } from './extensions.js';
import { FurtherCalls } from './further-calls.js';
import { GenerationContexts } from './generation-contexts.js';
import { PdfCounter } from './pdf/pdf-counter.js';
import { ConsultationRooms } from './plugins/consultation-rooms.js';
import { Consultations } from './plugins/consultations.js';
import { ForeseenRuns } from './plugins/foreseen-runs.js';
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
    ConsultationRooms,
    ForeseenRuns,
    CountTokens,
    CreateCompletion,
    ExplainRoute,
    Extensions,
    FurtherCalls,
    GenerationContexts,
    PdfCounter,
    PluginSets,
    RefusalRecords,
    RequestPlanner,
    ToolLoops,
    ToolOffers,
  ],
  exports: [CountTokens, CreateCompletion, ExplainRoute],
})
export class InferenceModule {}
