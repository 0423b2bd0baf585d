import { Module } from '@nestjs/common';
import { Clock } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { createKeyService } from './create-key-service.js';
import { DataKeys } from './data-keys.js';
import { KeyService } from './key-service.js';
import { SealRing } from './seal-ring.js';
import { Vault } from './vault.js';

/**
 * What is encrypted at rest, with the keys that the environment names: provider credentials, and the gateway's own data
 * keys.
 */
@Module({
  providers: [
    { provide: KeyService, inject: [Environment, Clock], useFactory: createKeyService },
    Vault,
    DataKeys,
    SealRing,
  ],
  exports: [Vault, DataKeys, SealRing],
})
export class VaultModule {}
