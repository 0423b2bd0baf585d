import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AlarmsModule } from './alarms/alarms.module.js';
import { BudgetsModule } from './budgets/budgets.module.js';
import { CatalogModule } from './catalog/catalog.module.js';
import { ConsoleModule } from './console/console.module.js';
import { ChatModule } from './faces/chat/chat.module.js';
import { DestinationsModule } from './destinations/destinations.module.js';
import { DescriptionModule } from './description/description.module.js';
import { ExplainModule } from './explain/explain.module.js';
import { GuardrailsModule } from './guardrails/guardrails.module.js';
import { AuthenticationGuard } from './keys/authentication.guard.js';
import { KeysModule } from './keys/keys.module.js';
import { FloodGuard } from './rate-limits/flood.guard.js';
import { WastedCalls } from './rate-limits/wasted-calls.js';
import { RateLimitsModule } from './rate-limits/rate-limits.module.js';
import { MessagesModule } from './faces/messages/messages.module.js';
import { EmbeddingsModule } from './faces/embeddings/embeddings.module.js';
import { RerankModule } from './faces/rerank/rerank.module.js';
import { ResponsesModule } from './faces/responses/responses.module.js';
import { ModelsModule } from './models/models.module.js';
import { PresetsModule } from './presets/presets.module.js';
import { DatabaseModule } from './shared/database/database.module.js';
import type { EmbeddedOpener } from './shared/database/embedded.js';
import { BodyReader } from './shared/http/server/body-reader.js';
import { AbandonedBodies } from './shared/http/abandoned-bodies.js';
import { CallerValidity } from './shared/http/caller-validity.js';
import { DtoPipe } from './shared/http/dto.pipe.js';
import { ErrorFilter } from './shared/http/error.filter.js';
import { JsonBodyGuard } from './shared/http/json-body.guard.js';
import { SharedModule, type ProcessContext } from './shared/shared.module.js';
import { WorkspacesModule } from './workspaces/workspaces.module.js';

/**
 * The modules of the application, and the order in which a request passes: guards, pipe, handler; errors to one filter.
 */
@Module({})
export class AppModule {
  static register(context: ProcessContext, shippedCatalogPath: string, opener?: EmbeddedOpener): DynamicModule {
    return {
      module: AppModule,
      imports: [
        // The router tries routes in this order: inference first.
        MessagesModule,
        ChatModule,
        ResponsesModule,
        EmbeddingsModule,
        RerankModule,
        KeysModule,
        WorkspacesModule,
        BudgetsModule,
        GuardrailsModule,
        PresetsModule,
        DestinationsModule,
        AlarmsModule,
        ExplainModule,
        ModelsModule,
        DescriptionModule,
        ...(context.environment.console === 'on' ? [ConsoleModule] : []),
        RateLimitsModule,
        SharedModule.register(context),
        DatabaseModule.register(opener),
        CatalogModule.register({ shippedPath: shippedCatalogPath }),
      ],
      providers: [
        { provide: APP_FILTER, useClass: ErrorFilter },
        // The order of the guards: the caller is authenticated before a body is read.
        { provide: APP_GUARD, useExisting: AuthenticationGuard },
        { provide: APP_GUARD, useExisting: FloodGuard },
        { provide: CallerValidity, useExisting: AuthenticationGuard },
        { provide: AbandonedBodies, useExisting: WastedCalls },
        BodyReader,
        { provide: APP_GUARD, useClass: JsonBodyGuard },
        { provide: APP_PIPE, useClass: DtoPipe },
      ],
    };
  }
}
