import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ManagementModule } from '../management/management.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { ProvidersModule } from '../providers/providers.module.js';
import { ByokController } from './byok.controller.js';
import { CredentialOpener } from './credential-opener.js';
import { CredentialStates } from './credential-states.js';
import { CredentialsService } from './credentials.service.js';
import { CredentialStore } from './credential-store.js';
import { CredentialTest } from './credential-test.js';
import { CredentialsRepository } from './credentials.repository.js';
import { ProviderCredentialEntity } from './provider-credential.entity.js';
import { UnreadableCredentials } from './unreadable-credentials.js';
import { VaultModule } from '../vault/vault.module.js';

/** The callers' own provider credentials. */
@Module({
  imports: [
    AccountsModule,
    ManagementModule,
    KeysModule,
    ProvidersModule,
    VaultModule,
    TypeOrmModule.forFeature([ProviderCredentialEntity]),
  ],
  controllers: [ByokController],
  providers: [
    CredentialsRepository,
    CredentialOpener,
    CredentialStates,
    CredentialStore,
    CredentialsService,
    CredentialTest,
    UnreadableCredentials,
  ],
  exports: [CredentialStates, CredentialStore, CredentialsService],
})
export class ByokModule {}
