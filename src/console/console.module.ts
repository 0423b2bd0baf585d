import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KeysModule } from '../keys/keys.module.js';
import { SessionCallers } from '../keys/presented-session.js';
import { ManagementModule } from '../management/management.module.js';
import { ConsoleFiles } from './console-files.js';
import { ConsoleLinkEntity, ConsoleSessionEntity } from './console-session.entity.js';
import { ConsoleSessionCallers } from './console-session-callers.js';
import { ConsoleSessionsRepository } from './console-sessions.repository.js';
import { ConsoleSessionsService } from './console-sessions.service.js';
import { ConsoleController } from './console.controller.js';
import { SessionController } from './session.controller.js';

/** Sessions as the guard of all routes reads them: global, because the guard is of a module that this one needs. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([ConsoleSessionEntity, ConsoleLinkEntity])],
  providers: [ConsoleSessionsRepository, { provide: SessionCallers, useClass: ConsoleSessionCallers }],
  exports: [ConsoleSessionsRepository, SessionCallers],
})
export class ConsoleStoreModule {}

/** The pages of the console, and their sessions. */
@Module({
  imports: [ConsoleStoreModule, KeysModule, ManagementModule],
  // Sessions precede the pages, which are all else below their address.
  controllers: [SessionController, ConsoleController],
  providers: [ConsoleFiles, ConsoleSessionsService],
  exports: [ConsoleSessionsService],
})
export class ConsoleModule {}
