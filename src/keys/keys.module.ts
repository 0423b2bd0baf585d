import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ManagementModule } from '../management/management.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { AuthenticationGuard } from './authentication.guard.js';
import { FirstKeys } from './first-keys.js';
import { KeyCache } from './key-cache.js';
import { KeyLookups } from './key-lookups.js';
import { KeysService } from './keys.service.js';
import { KeysController } from './keys.controller.js';
import { KeysRepository } from './keys.repository.js';
import { ShowKeyController } from './show-key.controller.js';

/** Authentication and the administration of keys. The application puts its guard before every route. */
@Module({
  imports: [AccountsModule, ManagementModule, LedgerModule, RateLimitsModule, TypeOrmModule.forFeature([ApiKeyEntity])],
  controllers: [KeysController, ShowKeyController],
  providers: [KeysRepository, KeyLookups, KeyCache, KeysService, FirstKeys, AuthenticationGuard],
  exports: [KeyCache, KeysService, FirstKeys, AuthenticationGuard],
})
export class KeysModule {}
