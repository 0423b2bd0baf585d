import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ManagementModule } from '../management/management.module.js';
import { Environment } from '../shared/environment.js';
import { ActivityController } from './activity/activity.controller.js';
import { ActivityRepository } from './activity/activity.repository.js';
import { FiguresRepository } from './figures/figures.repository.js';
import { RollUpRepository } from './figures/roll-up.repository.js';
import { RollUps } from './figures/roll-ups.js';
import { AnalyticsController } from './activity/analytics.controller.js';
import { LedgerRepository } from './ledger.repository.js';
import { LedgerJobs } from './ledger-jobs.js';
import { CreditsController } from './credits/credits.controller.js';
import { AccountOpening } from './account-opening.js';
import { CreditEntriesRepository } from './credits/credit-entries.repository.js';
import { CreditsRepository } from './credits/credits.repository.js';
import { CreditsService } from './credits/credits.service.js';
import { Postings } from './postings.js';
import { GenerationController } from './generations/generation.controller.js';
import { GenerationListRepository } from './generations/generation-list.repository.js';
import { GenerationsController } from './generations/generations.controller.js';
import { GenerationRepository } from './generations/generation.repository.js';
import { FilterNames } from './check-filter-names.js';
import { HoldNotes } from './hold-notes.js';
import { EmbeddedNotes } from './embedded-notes.js';
import { StatementsController } from './month-end/statements.controller.js';
import { StatementsRepository } from './month-end/statements.repository.js';
import { StatementsService } from './month-end/statements.service.js';
import { LedgerService } from './ledger.service.js';
import { GenerationPartitions } from './generations/generation-partitions.js';
import { GenerationPartitionsRepository } from './generations/generation-partitions.repository.js';
import { PriceVersions } from './price-versions.js';
import { ServerNotes } from './server-notes.js';
import { SettledGenerations } from './generations/settled-generations.js';
import { SpendingWindowEntity } from './spending-window.entity.js';
import { SpendingWindows } from './spending-windows.js';
import { SpendingWindowsRepository } from './spending-windows.repository.js';

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
    SpendingWindowsRepository,
    SpendingWindows,
    CreditsRepository,
    CreditEntriesRepository,
    CreditsService,
    AccountOpening,
    GenerationRepository,
    GenerationListRepository,
    ActivityRepository,
    FilterNames,
    SettledGenerations,
    FiguresRepository,
    RollUpRepository,
    RollUps,
    StatementsRepository,
    StatementsService,
  ],
  exports: [AccountOpening, GenerationRepository, LedgerService, PriceVersions, SettledGenerations, SpendingWindows],
})
export class LedgerModule {}
