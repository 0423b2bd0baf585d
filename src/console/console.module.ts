import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { SessionCallers } from '../keys/presented-session.js';
import { ManagementModule } from '../management/management.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { ConsoleFiles } from './console-files.js';
import { ConsoleLinkEntity, ConsoleSessionEntity } from './console-session.entity.js';
import { ConsoleSessionCallers } from './console-session-callers.js';
import { ConsoleSessionsRepository } from './console-sessions.repository.js';
import { ConsoleSessionsService } from './console-sessions.service.js';
import { ConsoleController } from './console.controller.js';
import { SessionController } from './session.controller.js';
import { Issuer } from './sign-on/issuer.js';
import { Persons } from './sign-on/persons.js';
import { SignOnService } from './sign-on/sign-on.service.js';

/** Sessions as the guard of all routes reads them: global, because the guard is of a module that this one needs. */
@Global()
@Module({
  imports: [AccountsModule, TypeOrmModule.forFeature([ConsoleSessionEntity, ConsoleLinkEntity])],
  providers: [ConsoleSessionsRepository, Persons, { provide: SessionCallers, useClass: ConsoleSessionCallers }],
  exports: [ConsoleSessionsRepository, Persons, SessionCallers],
})
export class ConsoleStoreModule {}

/** The pages of the console, and their sessions. */
@Module({
  imports: [AccountsModule, ConsoleStoreModule, KeysModule, RateLimitsModule, ManagementModule],
  // Sessions precede the pages, which are all else below their address.
  controllers: [SessionController, ConsoleController],
  providers: [ConsoleFiles, ConsoleSessionsService, Issuer, SignOnService],
  exports: [ConsoleSessionsService],
})
export class ConsoleModule {}
