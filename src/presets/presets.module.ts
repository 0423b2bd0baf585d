import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ManagementModule } from '../management/management.module.js';
import { ActivePresets } from './active-presets.js';
import { PresetEntity, PresetVersionEntity } from './preset.entity.js';
import { PresetGuard } from './preset.guard.js';
import { PresetSaver } from './preset-saver.js';
import { PresetsController } from './presets.controller.js';
import { PresetsRepository } from './presets.repository.js';
import { PresetsService } from './presets.service.js';

/** Settings of inference under names. */
@Module({
  imports: [AccountsModule, ManagementModule, TypeOrmModule.forFeature([PresetEntity, PresetVersionEntity])],
  controllers: [PresetsController],
  providers: [ActivePresets, PresetGuard, PresetSaver, PresetsRepository, PresetsService],
  exports: [ActivePresets, PresetGuard, PresetSaver, PresetsRepository],
})
export class PresetsModule {}
