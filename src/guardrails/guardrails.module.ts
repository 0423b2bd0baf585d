import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { AssignmentsController } from './assignments.controller.js';
import { GuardrailEntity } from './guardrail.entity.js';
import { GuardrailsController } from './guardrails.controller.js';
import { Guardrails } from './guardrails.js';
import { GuardrailsRepository } from './guardrails.repository.js';
import { Rulebook } from './rulebook.js';

/** Policies that keys and members are held to. */
@Module({
  imports: [AccountsModule, AuditModule, KeysModule, TypeOrmModule.forFeature([GuardrailEntity])],
  // The lists of all assignments come before the guardrail of an id.
  controllers: [AssignmentsController, GuardrailsController],
  providers: [GuardrailsRepository, Guardrails, Rulebook],
  exports: [Guardrails],
})
export class GuardrailsModule {}
