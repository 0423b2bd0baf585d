import { Module } from '@nestjs/common';
import { CredentialStore } from './credential-store.js';

/** The callers' own provider credentials. */
@Module({ providers: [CredentialStore], exports: [CredentialStore] })
export class ByokModule {}
