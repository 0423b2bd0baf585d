import { Module } from '@nestjs/common';
import { InferenceModule } from '../inference/inference.module.js';
import { MessagesController } from './messages.controller.js';

@Module({ imports: [InferenceModule], controllers: [MessagesController] })
export class MessagesModule {}
