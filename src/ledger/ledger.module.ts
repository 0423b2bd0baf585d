import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { Environment } from '../shared/environment.js';
import { ActivityController } from './activity.controller.js';
import { ActivityRepository } from './activity.repository.js';
import { LedgerRepository } from './ledger.repository.js';
import { LedgerJobs } from './ledger-jobs.js';
import { CreditsController } from './credits.controller.js';
import { AccountOpening } from './account-opening.js';
import { CreditsRepository } from './credits.repository.js';
import { CreditsService } from './credits.service.js';
import { Postings } from './postings.js';
import { GenerationController } from './generation.controller.js';
import { GenerationRepository } from './generation.repository.js';
import { HoldNotes } from './hold-notes.js';
import { KeptNotes } from './kept-notes.js';
import { LedgerService } from './ledger.service.js';
import { GenerationPartitions } from './generation-partitions.js';
import { GenerationPartitionsRepository } from './generation-partitions.repository.js';
import { PriceVersions } from './price-versions.js';
import { SentNotes } from './sent-notes.js';
import { SpendingWindowEntity } from './spending-window.entity.js';
import { SpendingWindows } from './spending-windows.js';
import { WindowsRepository } from './windows.repository.js';

/** The ledger. */
@Module({
  imports: [AccountsModule, AuditModule, TypeOrmModule.forFeature([SpendingWindowEntity])],
  controllers: [CreditsController, GenerationController, ActivityController],
  providers: [
    LedgerRepository,
    LedgerJobs,
    Postings,
    LedgerService,
    {
      provide: HoldNotes,
      useFactory: (environment: Environment, repository: LedgerRepository): HoldNotes =>
        environment.databaseUrl === undefined ? new KeptNotes(repository, environment) : new SentNotes(repository),
      inject: [Environment, LedgerRepository],
    },
    GenerationPartitions,
    GenerationPartitionsRepository,
    PriceVersions,
    WindowsRepository,
    SpendingWindows,
    CreditsRepository,
    CreditsService,
    AccountOpening,
    GenerationRepository,
    ActivityRepository,
  ],
  exports: [AccountOpening, LedgerService, PriceVersions, SpendingWindows],
})
export class LedgerModule {}
