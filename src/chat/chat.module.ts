import { Module } from '@nestjs/common';
import { InferenceModule } from '../inference/inference.module.js';
import { ChatController } from './chat.controller.js';

@Module({ imports: [InferenceModule], controllers: [ChatController] })
export class ChatModule {}
