import { Module } from '@nestjs/common';
import { FacesModule } from '../common/faces.module.js';
import { ResponsesController } from './responses.controller.js';
import { ResponsesPresetsController } from './save-preset.controller.js';

@Module({ imports: [FacesModule], controllers: [ResponsesController, ResponsesPresetsController] })
export class ResponsesModule {}
