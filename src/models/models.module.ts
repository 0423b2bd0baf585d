import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ByokModule } from '../byok/byok.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { HealthModule } from '../endpoint-health/health.module.js';
import { ProvidersModule } from '../providers/providers.module.js';
import { CallableEntries } from './callable-entries.js';
import { CatalogViews } from './catalog-views.js';
import { EndpointViews } from './endpoint-views.js';
import { ModelController } from './model.controller.js';
import { ModelsController } from './models.controller.js';
import { ProviderHealths } from './provider-healths.js';
import { ProvidersController } from './providers.controller.js';

/** The catalogue as callers see it. */
@Module({
  imports: [AccountsModule, ByokModule, GuardrailsModule, HealthModule, ProvidersModule],
  controllers: [ModelsController, ModelController, ProvidersController],
  providers: [CallableEntries, CatalogViews, EndpointViews, ProviderHealths],
})
export class ModelsModule {}
