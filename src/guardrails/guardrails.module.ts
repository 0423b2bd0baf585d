import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ManagementModule } from '../management/management.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { AssignmentsController } from './assignments.controller.js';
import { GuardrailEntity } from './guardrail.entity.js';
import { GuardrailsController } from './guardrails.controller.js';
import { ActiveGuardrails } from './active-guardrails.js';
import { GuardrailTrial } from './guardrail-trial.js';
import { GuardrailsRepository } from './guardrails.repository.js';
import { GuardrailsService } from './guardrails.service.js';

/** Policies for keys, members and workspaces. */
@Module({
  imports: [AccountsModule, ManagementModule, KeysModule, TypeOrmModule.forFeature([GuardrailEntity])],
  // The routes of all assignments must precede the route of a guardrail id.
  controllers: [AssignmentsController, GuardrailsController],
  providers: [GuardrailsRepository, ActiveGuardrails, GuardrailsService, GuardrailTrial],
  exports: [ActiveGuardrails],
})
export class GuardrailsModule {}
