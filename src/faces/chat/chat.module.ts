import { Module } from '@nestjs/common';
import { FacesModule } from '../common/faces.module.js';
import { ChatController } from './chat.controller.js';

@Module({ imports: [FacesModule], controllers: [ChatController] })
export class ChatModule {}
