import { Module } from '@nestjs/common';
import { ALL_PLUGINS, PLUGINS } from './plugin-list.js';

/** What callers and defaults switch on by name. */
@Module({
  providers: [{ provide: PLUGINS, useValue: ALL_PLUGINS }],
  exports: [PLUGINS],
})
export class PluginsModule {}
