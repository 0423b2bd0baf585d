import { Module } from '@nestjs/common';
import { Clock } from '../../core/time.js';
import { Environment } from '../../shared/environment.js';
import { createKeyService } from './create-key-service.js';
import { KeyService } from './key-service.js';
import { Vault } from './vault.js';

/** Sealing and opening of provider credentials, with the keys that the environment names. */
@Module({
  providers: [{ provide: KeyService, inject: [Environment, Clock], useFactory: createKeyService }, Vault],
  exports: [Vault],
})
export class VaultModule {}
