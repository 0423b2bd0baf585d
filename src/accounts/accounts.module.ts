import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDirectory } from './account-directory.js';
import { AccountEntity } from './account.entity.js';
import { Budgets } from './budgets.js';
import { RoutingPolicies } from './routing-policies.js';
import { WorkspaceDirectory } from './workspace-directory.js';
import { WorkspaceEntity } from './workspace.entity.js';

/** The account and its workspaces. */
@Module({
  imports: [TypeOrmModule.forFeature([AccountEntity, WorkspaceEntity])],
  providers: [AccountDirectory, Budgets, RoutingPolicies, WorkspaceDirectory],
  exports: [AccountDirectory, Budgets, RoutingPolicies, WorkspaceDirectory],
})
export class AccountsModule {}
