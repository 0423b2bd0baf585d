import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { VaultModule } from '../vault/vault.module.js';
import { AuditLog } from './audit-log.js';
import { AuditRetention } from './audit-retention.js';
import { AuditSeals } from './audit-seals.js';
import { AuditController } from './audit.controller.js';
import { AuditRepository } from './audit.repository.js';
import { ManagedChanges } from './managed-changes.js';

/** The one way in which managed resources are changed, and the log of all such changes: nobody else writes to it. */
@Module({
  imports: [AccountsModule, VaultModule],
  controllers: [AuditController],
  providers: [AuditLog, AuditRepository, AuditRetention, AuditSeals, ManagedChanges],
  exports: [ManagedChanges],
})
export class AuditModule {}
