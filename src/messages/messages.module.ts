import { Module } from '@nestjs/common';
import { InferenceModule } from '../inference/inference.module.js';
import { CountTokensController } from './count-tokens.controller.js';
import { MessagesController } from './messages.controller.js';

@Module({ imports: [InferenceModule], controllers: [MessagesController, CountTokensController] })
export class MessagesModule {}
