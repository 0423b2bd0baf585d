import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { DestinationsModule } from '../destinations/destinations.module.js';
import { HealthModule } from '../endpoint-health/health.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { ManagementModule } from '../management/management.module.js';
import { AlarmJob } from './alarm-job.js';
import { AlarmEntity } from './alarm.entity.js';
import { AlarmsController } from './alarms.controller.js';
import { AlarmsRepository } from './alarms.repository.js';
import { AlarmsService } from './alarms.service.js';
import { MissingSubjects } from './missing-subjects.js';
import { ReplicaObservations } from './replica-observations.js';

/** Rules over limits, budgets, the balance, providers and costs, which report by themselves. */
@Module({
  imports: [
    AccountsModule,
    ManagementModule,
    KeysModule,
    HealthModule,
    DestinationsModule,
    TypeOrmModule.forFeature([AlarmEntity]),
  ],
  controllers: [AlarmsController],
  providers: [AlarmsRepository, AlarmsService, AlarmJob, MissingSubjects, ReplicaObservations],
})
export class AlarmsModule {}
