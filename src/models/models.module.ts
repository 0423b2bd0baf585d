import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ByokModule } from '../byok/byok.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { HealthModule } from '../endpoint-health/health.module.js';
import { ProvidersModule } from '../providers/providers.module.js';
import { CallableEntries } from './callable-entries.js';
import { CatalogController } from './catalog.controller.js';
import { CatalogViews } from './catalog-views.js';
import { EndpointViews } from './endpoint-views.js';
import { ModelController } from './model.controller.js';
import { ModelsController } from './models.controller.js';
import { PresetsModule } from '../presets/presets.module.js';
import { PresetEntries } from './preset-entries.js';
import { ProviderHealths } from './provider-healths.js';
import { ProvidersController } from './providers.controller.js';

/** The catalogue as callers see it. */
@Module({
  imports: [AccountsModule, ByokModule, GuardrailsModule, HealthModule, PresetsModule, ProvidersModule],
  controllers: [ModelsController, ModelController, ProvidersController, CatalogController],
  providers: [CallableEntries, CatalogViews, EndpointViews, PresetEntries, ProviderHealths],
})
export class ModelsModule {}
