import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DescriptionController } from './description.controller.js';
import { Description } from './description.js';

@Module({ imports: [DiscoveryModule], controllers: [DescriptionController], providers: [Description] })
export class DescriptionModule {}
