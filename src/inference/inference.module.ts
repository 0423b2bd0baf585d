import { Module } from '@nestjs/common';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { LimitsModule } from '../limits/limits.module.js';
import { RoutingModule } from '../routing/routing.module.js';
import { Admission } from './admission.js';
import { BillingService } from './billing.service.js';
import { CountTokens } from './count-tokens.js';
import { CreateCompletion } from './create-completion.js';
import { Delivery } from './delivery.js';
import { ExplainRoute } from './explain-route.js';
import { PdfCounter } from './pdf-counter.js';
import { RequestPlanner } from './request-planner.js';

@Module({
  imports: [GuardrailsModule, LedgerModule, LimitsModule, RoutingModule],
  providers: [
    Admission,
    BillingService,
    CountTokens,
    CreateCompletion,
    Delivery,
    ExplainRoute,
    PdfCounter,
    RequestPlanner,
  ],
  exports: [CountTokens, CreateCompletion, Delivery, ExplainRoute],
})
export class InferenceModule {}
