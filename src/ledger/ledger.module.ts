import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ManagementModule } from '../management/management.module.js';
import { Environment } from '../shared/environment.js';
import { ActivityController } from './activity.controller.js';
import { ActivityRepository } from './activity.repository.js';
import { FiguresRepository } from './figures/figures.repository.js';
import { RollUpRepository } from './figures/roll-up.repository.js';
import { RollUps } from './figures/roll-ups.js';
import { AnalyticsController } from './analytics.controller.js';
import { ExportPlaces } from './export-places.js';
import { LedgerRepository } from './ledger.repository.js';
import { LedgerJobs } from './ledger-jobs.js';
import { CreditsController } from './credits.controller.js';
import { AccountOpening } from './account-opening.js';
import { CreditEntriesRepository } from './credit-entries.repository.js';
import { CreditsRepository } from './credits.repository.js';
import { CreditsService } from './credits.service.js';
import { Postings } from './postings.js';
import { GenerationController } from './generation.controller.js';
import { GenerationListRepository } from './generation-list.repository.js';
import { GenerationsController } from './generations.controller.js';
import { GenerationRepository } from './generation.repository.js';
import { KnownNames } from './known-names.js';
import { HoldNotes } from './hold-notes.js';
import { EmbeddedNotes } from './embedded-notes.js';
import { StatementsController } from './month-end/statements.controller.js';
import { StatementsRepository } from './month-end/statements.repository.js';
import { StatementsService } from './month-end/statements.service.js';
import { LedgerService } from './ledger.service.js';
import { GenerationPartitions } from './generation-partitions.js';
import { GenerationPartitionsRepository } from './generation-partitions.repository.js';
import { PriceVersions } from './price-versions.js';
import { ServerNotes } from './server-notes.js';
import { SettledGenerations } from './settled-generations.js';
import { SpendingWindowEntity } from './spending-window.entity.js';
import { SpendingWindows } from './spending-windows.js';
import { WindowsRepository } from './windows.repository.js';

/** The ledger. */
@Module({
  imports: [AccountsModule, ManagementModule, TypeOrmModule.forFeature([SpendingWindowEntity])],
  controllers: [
    CreditsController,
    GenerationController,
    GenerationsController,
    ActivityController,
    AnalyticsController,
    StatementsController,
  ],
  providers: [
    LedgerRepository,
    LedgerJobs,
    Postings,
    LedgerService,
    {
      provide: HoldNotes,
      useFactory: (environment: Environment, repository: LedgerRepository): HoldNotes =>
        environment.databaseUrl === undefined
          ? new EmbeddedNotes(repository, environment)
          : new ServerNotes(repository),
      inject: [Environment, LedgerRepository],
    },
    GenerationPartitions,
    GenerationPartitionsRepository,
    PriceVersions,
    WindowsRepository,
    SpendingWindows,
    CreditsRepository,
    CreditEntriesRepository,
    CreditsService,
    AccountOpening,
    GenerationRepository,
    GenerationListRepository,
    ActivityRepository,
    KnownNames,
    SettledGenerations,
    ExportPlaces,
    FiguresRepository,
    RollUpRepository,
    RollUps,
    StatementsRepository,
    StatementsService,
  ],
  exports: [AccountOpening, LedgerService, PriceVersions, SettledGenerations, SpendingWindows],
})
export class LedgerModule {}
