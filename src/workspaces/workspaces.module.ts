import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ManagementModule } from '../management/management.module.js';
import { ByokModule } from '../byok/byok.module.js';
import { DestinationsModule } from '../destinations/destinations.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { AccountPreferencesController } from './account-preferences.controller.js';
import { AccountPreferences } from './account-preferences.js';
import { BudgetsController } from './budgets.controller.js';
import { MembersController } from './members.controller.js';
import { OrganizationController } from './organization.controller.js';
import { OrganizationMembers } from './organization-members.js';
import { WorkspaceBudgets } from './workspace-budgets.js';
import { WorkspaceMembers } from './workspace-members.js';
import { WorkspacesController } from './workspaces.controller.js';
import { WorkspacesService } from './workspaces.service.js';
import { WorkspacesRepository } from './workspaces.repository.js';

/** Administration of workspaces, their members and budgets, and of what an account allows of routing. */
@Module({
  imports: [
    AccountsModule,
    KeysModule,
    ByokModule,
    LedgerModule,
    GuardrailsModule,
    DestinationsModule,
    ManagementModule,
  ],
  controllers: [
    MembersController,
    BudgetsController,
    WorkspacesController,
    AccountPreferencesController,
    OrganizationController,
  ],
  providers: [
    WorkspacesRepository,
    WorkspacesService,
    WorkspaceMembers,
    WorkspaceBudgets,
    AccountPreferences,
    OrganizationMembers,
  ],
})
export class WorkspacesModule {}
