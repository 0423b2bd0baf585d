import { Module } from '@nestjs/common';
import { FacesModule } from '../common/faces.module.js';
import { RerankController } from './rerank.controller.js';

@Module({ imports: [FacesModule], controllers: [RerankController] })
export class RerankModule {}
