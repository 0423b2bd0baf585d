import { Module } from '@nestjs/common';
import { FacesModule } from '../common/faces.module.js';
import { EmbeddingsController } from './embeddings.controller.js';

@Module({ imports: [FacesModule], controllers: [EmbeddingsController] })
export class EmbeddingsModule {}
