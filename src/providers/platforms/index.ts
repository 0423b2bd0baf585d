import type { Platform } from '../../core/platform.js';
import type { PlatformId } from '../../core/routing/catalog.js';
import type { Clock } from '../../core/time.js';
import type { Transport } from '../transport.js';
import { BedrockPlatform } from './bedrock/platform.js';
import { direct } from './direct.js';

/** What a platform may be made with: the way to a token's issuer, and the time that signatures and tokens hold. */
export interface PlatformDependencies {
  readonly transport: Transport;
  readonly clock: Clock;
}

/** Every platform, by its id in the catalog file; each is made once a process. Adding one is a file and a line here. */
export const PLATFORMS: Readonly<Record<PlatformId, (dependencies: PlatformDependencies) => Platform>> = {
  direct: () => direct,
  bedrock: ({ clock }) => new BedrockPlatform(clock),
};
