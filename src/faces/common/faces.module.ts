import { Module } from '@nestjs/common';
import { InferenceModule } from '../../inference/inference.module.js';
import { Delivery } from './delivery.js';

/** What every face needs to begin an inference and to deliver its reply. */
@Module({ imports: [InferenceModule], providers: [Delivery], exports: [Delivery, InferenceModule] })
export class FacesModule {}
