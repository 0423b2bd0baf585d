import { Module } from '@nestjs/common';
import { ALL_PLUGINS, PLUGINS } from './plugin-list.js';

/** The plugins that callers and defaults enable by name. */
@Module({
  providers: [{ provide: PLUGINS, useValue: ALL_PLUGINS }],
  exports: [PLUGINS],
})
export class PluginsModule {}
