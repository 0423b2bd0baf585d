import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DescriptionController } from './description.controller.js';
import { Description } from './description.js';
import { GuidePages } from './guide-pages.js';
import { ViewerFiles } from './viewer-files.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [DescriptionController],
  providers: [Description, GuidePages, ViewerFiles],
})
export class DescriptionModule {}
