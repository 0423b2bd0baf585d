import { Module } from '@nestjs/common';
import { SimulatedUpstream } from './dialects/simulated/upstream.js';
import { ProviderRegistry } from './registry.js';
import { SandboxedTransport } from './sandboxed-transport.js';
import { Transport } from './transport.js';
import { UndiciTransport } from './undici-transport.js';

@Module({
  providers: [
    ProviderRegistry,
    UndiciTransport,
    {
      provide: Transport,
      inject: [UndiciTransport],
      useFactory: (network: UndiciTransport) => new SandboxedTransport(network, new SimulatedUpstream()),
    },
  ],
  exports: [ProviderRegistry, Transport],
})
export class ProvidersModule {}
