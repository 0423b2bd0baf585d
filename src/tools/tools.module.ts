import { Module } from '@nestjs/common';
import { VaultModule } from '../vault/vault.module.js';
import { ContainerSweep } from './containers/container-sweep.js';
import { ToolContainers } from './containers/tool-containers.js';
import { ToolContainersRepository } from './containers/tool-containers.repository.js';
import { EngineClients } from './engine-client.js';
import { GuardedPages } from './guarded-pages.js';
import { ParsedFiles } from './parse-file/parsed-files.js';
import { ALL_SERVICE_TOOLS, SERVICE_TOOLS } from './service-tools.js';
import { ToolContexts } from './tool-contexts.js';
import { ToolWorkers } from './workers/tool-workers.js';

/** Service tools and their dependencies. */
@Module({
  imports: [VaultModule],
  providers: [
    { provide: SERVICE_TOOLS, useValue: ALL_SERVICE_TOOLS },
    ContainerSweep,
    EngineClients,
    GuardedPages,
    ParsedFiles,
    ToolContainers,
    ToolContainersRepository,
    ToolContexts,
    ToolWorkers,
  ],
  exports: [SERVICE_TOOLS, ToolContexts],
})
export class ToolsModule {}
