import { Module } from '@nestjs/common';
import { FacesModule } from '../common/faces.module.js';
import { ChatController } from './chat.controller.js';
import { ChatPresetsController } from './save-preset.controller.js';

@Module({ imports: [FacesModule], controllers: [ChatController, ChatPresetsController] })
export class ChatModule {}
