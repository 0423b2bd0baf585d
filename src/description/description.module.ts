import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DescriptionController } from './description.controller.js';
import { Description } from './description.js';
import { DocsFiles, DocsPages } from './docs/docs-pages.js';
import { GuidePages } from './guide-pages.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [DescriptionController],
  providers: [Description, DocsFiles, DocsPages, GuidePages],
})
export class DescriptionModule {}
