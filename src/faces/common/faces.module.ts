import { Module } from '@nestjs/common';
import { InferenceModule } from '../../inference/inference.module.js';
import { KeptRepliesModule } from '../../kept-replies/kept-replies.module.js';
import { PresetsModule } from '../../presets/presets.module.js';
import { Delivery } from './delivery.js';
import { KeptDelivery } from './kept-delivery.js';
import { ResumeController } from './resume.controller.js';

/** The providers that every face needs to begin an inference and to deliver its reply. */
@Module({
  imports: [InferenceModule, KeptRepliesModule, PresetsModule],
  controllers: [ResumeController],
  providers: [Delivery, KeptDelivery],
  exports: [Delivery, InferenceModule, KeptDelivery, PresetsModule],
})
export class FacesModule {}
