import { Module } from '@nestjs/common';
import { FacesModule } from '../common/faces.module.js';
import { CountTokensController } from './count-tokens.controller.js';
import { MessagesController } from './messages.controller.js';
import { MessagesPresetsController } from './save-preset.controller.js';

@Module({
  imports: [FacesModule],
  controllers: [MessagesController, CountTokensController, MessagesPresetsController],
})
export class MessagesModule {}
