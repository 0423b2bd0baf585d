import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { ManagementModule } from '../management/management.module.js';
import { VaultModule } from '../vault/vault.module.js';
import { BroadcastJob } from './broadcast-job.js';
import { SealedConfigs } from './destination-seals.js';
import { DestinationTest } from './destination-test.js';
import { DestinationEntity } from './destination.entity.js';
import { DestinationsController } from './destinations.controller.js';
import { DestinationsRepository } from './destinations.repository.js';
import { DestinationsService } from './destinations.service.js';
import { EventSender } from './event-sender.js';
import { OutboxFigures } from './outbox-figures.js';
import { OutboxJob } from './outbox-job.js';
import { Outbox } from './outbox.js';
import { OutboxRepository } from './outbox.repository.js';

/** Receivers of events, and the outbox that sends to them. */
@Module({
  imports: [
    AccountsModule,
    ManagementModule,
    KeysModule,
    LedgerModule,
    VaultModule,
    TypeOrmModule.forFeature([DestinationEntity]),
  ],
  controllers: [DestinationsController],
  providers: [
    BroadcastJob,
    DestinationsRepository,
    DestinationsService,
    DestinationTest,
    EventSender,
    Outbox,
    OutboxFigures,
    OutboxJob,
    OutboxRepository,
    SealedConfigs,
  ],
  exports: [DestinationsService, Outbox],
})
export class DestinationsModule {}
