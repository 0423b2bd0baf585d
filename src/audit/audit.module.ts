import { Module } from '@nestjs/common';
import { AuditLog } from './audit-log.js';
import { AuditRetention } from './audit-retention.js';
import { AuditController } from './audit.controller.js';
import { AuditRepository } from './audit.repository.js';

/** The log of management changes. */
@Module({
  controllers: [AuditController],
  providers: [AuditLog, AuditRepository, AuditRetention],
  exports: [AuditLog],
})
export class AuditModule {}
