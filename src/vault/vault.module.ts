import { Module } from '@nestjs/common';
import { Clock } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { createKeyService } from './create-key-service.js';
import { DataKeys } from './data-keys.js';
import { KeyService } from './key-service.js';
import { DestinationSeals, ReplySeals, SealRing } from './seal-ring.js';
import { Vault } from './vault.js';

/** Encrypts data at rest with the keys of the environment: provider credentials, and the gateway's own data keys. */
@Module({
  providers: [
    { provide: KeyService, inject: [Environment, Clock], useFactory: createKeyService },
    Vault,
    DataKeys,
    { provide: SealRing, inject: [DataKeys], useFactory: (keys: DataKeys) => new SealRing(keys) },
    { provide: DestinationSeals, inject: [DataKeys], useFactory: (keys: DataKeys) => new DestinationSeals(keys) },
    { provide: ReplySeals, inject: [DataKeys], useFactory: (keys: DataKeys) => new ReplySeals(keys) },
  ],
  exports: [Vault, DataKeys, SealRing, DestinationSeals, ReplySeals],
})
export class VaultModule {}
