import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { KeptRepliesModule } from '../kept-replies/kept-replies.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { PluginsModule } from '../plugins/plugins.module.js';
import { RoutingModule } from '../routing/routing.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { Admission } from './billing/admission.js';
import { BillingDependencies } from './billing/billing-dependencies.js';
import { CountTokens } from './count-tokens.js';
import { CreateCompletion } from './create-completion.js';
import { ExplainRoute } from './explain-route.js';
import { Extensions } from './extensions.js';
import { FurtherCalls } from './further-calls.js';
import { GenerationContexts } from './generation-contexts.js';
import { PdfCounter } from './pdf/pdf-counter.js';
import { ConsultationReservations } from './plugins/consultation-reservations.js';
import { Consultations } from './plugins/consultations.js';
import { ConsultationPlanner } from './plugins/consultation-planner.js';
import { PluginSelector } from './plugins/plugin-selector.js';
import { RefusalRecords } from './refusal-records.js';
import { RequestPlanner } from './request-planner.js';
import { RetentionSweep } from './retention-sweep.js';
import { ResponseCache } from './response-cache/response-cache.js';
import { StoragePermission } from './storage-permission.js';
import { ToolLoopFactory } from './tools/tool-loop-factory.js';
import { ToolOfferPlanner } from './tools/tool-offer-planner.js';

@Module({
  imports: [
    AccountsModule,
    GuardrailsModule,
    KeptRepliesModule,
    LedgerModule,
    RateLimitsModule,
    PluginsModule,
    RoutingModule,
    ToolsModule,
  ],
  providers: [
    Admission,
    BillingDependencies,
    Consultations,
    ConsultationReservations,
    ConsultationPlanner,
    CountTokens,
    CreateCompletion,
    ExplainRoute,
    Extensions,
    FurtherCalls,
    GenerationContexts,
    PdfCounter,
    PluginSelector,
    RefusalRecords,
    RequestPlanner,
    ResponseCache,
    RetentionSweep,
    StoragePermission,
    ToolLoopFactory,
    ToolOfferPlanner,
  ],
  exports: [CountTokens, CreateCompletion, ExplainRoute, StoragePermission],
})
export class InferenceModule {}
