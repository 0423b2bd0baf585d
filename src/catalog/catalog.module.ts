import { Logger, Module, type DynamicModule } from '@nestjs/common';
import { Environment } from '../shared/environment.js';
import { CatalogStore } from './catalog-store.js';

/**
 * Provides the `CatalogStore` to every module. Read before anything else starts, so that a bad catalog stops the start.
 */
@Module({})
export class CatalogModule {
  /** @param options.shippedPath absolute path of the catalog that ships with the release */
  static register(options: { readonly shippedPath: string }): DynamicModule {
    return {
      module: CatalogModule,
      global: true,
      providers: [
        {
          provide: CatalogStore,
          inject: [Environment],
          useFactory: (environment: Environment): Promise<CatalogStore> =>
            CatalogStore.open(
              {
                path: environment.catalogPath,
                shippedPath: options.shippedPath,
                variables: process.env,
              },
              new Logger(CatalogStore.name),
            ),
        },
      ],
      exports: [CatalogStore],
    };
  }
}
