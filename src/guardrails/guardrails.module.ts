import { Module } from '@nestjs/common';
import { Guardrails } from './guardrails.js';

/** Policies that keys and members are held to. */
@Module({ providers: [Guardrails], exports: [Guardrails] })
export class GuardrailsModule {}
