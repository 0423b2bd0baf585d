import { Module } from '@nestjs/common';
import { AuditLog } from './audit-log.js';

/** The log of management changes. */
@Module({ providers: [AuditLog], exports: [AuditLog] })
export class AuditModule {}
