import type { Platform } from '../../core/platform.js';
import type { PlatformId } from '../../core/routing/catalog.js';
import type { Clock } from '../../core/time.js';
import type { Transport } from '../transport.js';
import { AzurePlatform } from './azure.js';
import { BedrockPlatform } from './bedrock/platform.js';
import { direct } from './direct.js';
import { VertexPlatform } from './vertex.js';

/** What a platform may be made with: the way to a token's issuer, and the time that signatures and tokens hold. */
export interface PlatformDependencies {
  readonly transport: Transport;
  readonly clock: Clock;
}

/** Every platform, by its id in the catalog file; each is made once a process. Adding one is a file and a line here. */
export const PLATFORMS: Readonly<Record<PlatformId, (dependencies: PlatformDependencies) => Platform>> = {
  direct: () => direct,
  azure: (dependencies) => new AzurePlatform(dependencies),
  vertex: (dependencies) => new VertexPlatform(dependencies),
  bedrock: ({ clock }) => new BedrockPlatform(clock),
};
