import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { VaultModule } from '../vault/vault.module.js';
import { AuditLog } from './audit-log.js';
import { AuditRetention } from './audit-retention.js';
import { AuditSeals } from './audit-seals.js';
import { AuditVerification } from './audit-verification.js';
import { AuditController } from './audit.controller.js';
import { AuditRepository } from './audit.repository.js';

/** The log of all changes of managed resources: `management` alone writes to it. */
@Module({
  imports: [AccountsModule, VaultModule],
  controllers: [AuditController],
  providers: [AuditLog, AuditRepository, AuditRetention, AuditSeals, AuditVerification],
  exports: [AuditLog],
})
export class AuditModule {}
