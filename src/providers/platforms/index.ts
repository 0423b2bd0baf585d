import type { Platform } from '../../core/platform.js';
import type { PlatformId } from '../../core/routing/catalog.js';
import type { PlatformDependencies } from './dependencies.js';
import { AzurePlatform } from './azure.js';
import { BedrockPlatform } from './bedrock/platform.js';
import { direct } from './direct.js';
import { VertexPlatform } from './vertex.js';

/**
 * Every platform, by its id in the catalog file; each is made once per process. To add one, write a file and a line
 * here.
 */
export const PLATFORMS: Readonly<Record<PlatformId, (dependencies: PlatformDependencies) => Platform>> = {
  direct: () => direct,
  azure: (dependencies) => new AzurePlatform(dependencies),
  vertex: (dependencies) => new VertexPlatform(dependencies),
  bedrock: ({ clock }) => new BedrockPlatform(clock),
};
