import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountDirectory } from './account-directory.js';
import { AccountEntity } from './account.entity.js';
import { WorkspaceEntity } from './workspace.entity.js';

/** The account and its workspaces. */
@Module({
  imports: [TypeOrmModule.forFeature([AccountEntity, WorkspaceEntity])],
  providers: [AccountDirectory],
  exports: [AccountDirectory],
})
export class AccountsModule {}
