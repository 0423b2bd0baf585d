import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ActivityController } from './activity.controller.js';
import { ActivityRepository } from './activity.repository.js';
import { BooksRepository } from './books.repository.js';
import { Caretaker } from './caretaker.js';
import { CreditsController } from './credits.controller.js';
import { CreditsRepository } from './credits.repository.js';
import { Folds } from './folds.js';
import { GenerationController } from './generation.controller.js';
import { GenerationRepository } from './generation.repository.js';
import { Ledger } from './ledger.js';
import { Months } from './months.js';
import { MonthsRepository } from './months.repository.js';
import { PriceBook } from './price-book.js';
import { SpendingWindowEntity } from './spending-window.entity.js';
import { SpendingWindows } from './spending-windows.js';
import { WindowsRepository } from './windows.repository.js';

/** The books. */
@Module({
  imports: [AccountsModule, AuditModule, TypeOrmModule.forFeature([SpendingWindowEntity])],
  controllers: [CreditsController, GenerationController, ActivityController],
  providers: [
    BooksRepository,
    Caretaker,
    Folds,
    Ledger,
    Months,
    MonthsRepository,
    PriceBook,
    WindowsRepository,
    SpendingWindows,
    CreditsRepository,
    GenerationRepository,
    ActivityRepository,
  ],
  exports: [Ledger, PriceBook, SpendingWindows],
})
export class LedgerModule {}
