import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SpendingWindowEntity } from './spending-window.entity.js';
import { SpendingWindows } from './spending-windows.js';
import { WindowsRepository } from './windows.repository.js';

/** The books. */
@Module({
  imports: [TypeOrmModule.forFeature([SpendingWindowEntity])],
  providers: [WindowsRepository, SpendingWindows],
  exports: [SpendingWindows],
})
export class LedgerModule {}
