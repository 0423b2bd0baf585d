import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ManagedChanges } from './managed-changes.js';

/** The one way to change a managed resource, with its entry in the audit log. */
@Module({
  imports: [AuditModule],
  providers: [ManagedChanges],
  exports: [ManagedChanges],
})
export class ManagementModule {}
