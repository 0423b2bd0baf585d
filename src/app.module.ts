import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { CatalogModule } from './catalog/catalog.module.js';
import { KeysModule } from './keys/keys.module.js';
import { MessagesModule } from './messages/messages.module.js';
import { DatabaseModule } from './shared/database/database.module.js';
import type { EmbeddedOpener } from './shared/database/embedded.js';
import { DtoPipe } from './shared/http/dto.pipe.js';
import { ErrorFilter } from './shared/http/error.filter.js';
import { JsonBodyInterceptor } from './shared/http/json-body.interceptor.js';
import { SharedModule, type ProcessContext } from './shared/shared.module.js';

/** What the application is made of, and the order in which a request passes: guard, body, pipe, handler; errors to one filter. */
@Module({})
export class AppModule {
  static register(context: ProcessContext, shippedCatalogPath: string, opener?: EmbeddedOpener): DynamicModule {
    return {
      module: AppModule,
      imports: [
        SharedModule.register(context),
        DatabaseModule.register(opener),
        CatalogModule.register({ shippedPath: shippedCatalogPath }),
        MessagesModule,
        KeysModule,
      ],
      providers: [
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_INTERCEPTOR, useClass: JsonBodyInterceptor },
        { provide: APP_PIPE, useClass: DtoPipe },
      ],
    };
  }
}
