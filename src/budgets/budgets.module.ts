import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { ManagementModule } from '../management/management.module.js';
import { SubjectBudgets } from './subject-budgets.js';
import { SubjectBudgetsController } from './subject-budgets.controller.js';

/** Administration of the budgets of users, members and tags. */
@Module({
  imports: [AccountsModule, LedgerModule, ManagementModule],
  controllers: [SubjectBudgetsController],
  providers: [SubjectBudgets],
})
export class BudgetsModule {}
