import { Module } from '@nestjs/common';
import { FacesModule } from '../common/faces.module.js';
import { ResponsesController } from './responses.controller.js';

@Module({ imports: [FacesModule], controllers: [ResponsesController] })
export class ResponsesModule {}
