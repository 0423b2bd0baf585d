import { Module } from '@nestjs/common';
import { MediaFetcher } from './media/media-fetcher.js';
import { ProviderClient } from './provider-client.js';
import { ProviderRegistry } from './registry.js';
import { Transport } from './transport/transport.js';
import { UndiciTransport } from './transport/undici-transport.js';

@Module({
  providers: [MediaFetcher, ProviderClient, ProviderRegistry, { provide: Transport, useClass: UndiciTransport }],
  exports: [MediaFetcher, ProviderClient, ProviderRegistry],
})
export class ProvidersModule {}
