import { Injectable } from '@nestjs/common';
import type { Platform } from '../core/platform.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { Dialect, ProviderDefinition, Target } from '../core/provider.js';
import {
  dialectOf,
  PLATFORM_IDS,
  SIMULATED_SCHEME,
  type CatalogProvider,
  type Endpoint,
  type PlatformId,
} from '../core/routing/catalog.js';
import { Clock } from '../core/time.js';
import type { RequestField } from '../core/translation.js';
import { definitionOf } from './catalog/index.js';
import { withPlatformTools } from './catalog/platform-tools.js';
import { carries } from './dialects/encode-fields.js';
import { DIALECTS } from './dialects/index.js';
import { SimulatedUpstream } from './dialects/simulated/upstream.js';
import { firstUnmet } from './fitting/dropped-names.js';
import { PLATFORMS } from './platforms/index.js';
import { Transport } from './transport/transport.js';
import { passesField } from './fitting/undeclared-fields.js';

type EndpointOfProvider = Pick<Endpoint, 'provider' | 'dialect'>;

/** Dialect, platform and definition by which one endpoint is called. */
export interface ProviderAccess {
  readonly dialect: Dialect;
  readonly platform: Platform;
  readonly definition: ProviderDefinition;
  /** Carries its calls: over the network, or for the sandbox without any socket. */
  readonly transport: Pick<Transport, 'open'>;
}

/** The definitions of the catalog's providers: their dialects, addresses, and schemes of credentials. */
@Injectable()
export class ProviderRegistry {
  private readonly platforms: ReadonlyMap<PlatformId, Platform>;
  private readonly sandbox = new SimulatedUpstream();
  /** Cache by entry of a catalog: entries never change, and a reload makes new ones. */
  private readonly known = new WeakMap<EndpointOfProvider, ProviderAccess>();

  constructor(
    private readonly transport: Transport,
    clock: Clock,
  ) {
    this.platforms = new Map(PLATFORM_IDS.map((id) => [id, PLATFORMS[id]({ transport, clock })]));
  }

  accessTo(endpoint: EndpointOfProvider): ProviderAccess {
    const known = this.known.get(endpoint);
    if (known) return known;
    const { provider } = endpoint;
    const dialect = DIALECTS[dialectOf(endpoint)];
    const { platform = 'direct' } = provider;
    const access: ProviderAccess = {
      dialect,
      platform: this.platforms.get(platform)!,
      definition: withPlatformTools(definitionOf(provider.slug, dialect.defaultCredential, provider), platform),
      transport: provider.baseUrl.startsWith(SIMULATED_SCHEME) ? this.sandbox : this.transport,
    };
    this.known.set(endpoint, access);
    return access;
  }

  /** Whether a field that a request sets reaches such an endpoint. */
  carries({ model, endpoint, tier }: Omit<Target, 'definition'>, parameter: RequestField): boolean {
    const { dialect, platform, definition } = this.accessTo(endpoint);
    const target: Target = { model, endpoint, tier, definition };
    return platform.carries?.(parameter, target) ?? carries(dialect.table, parameter, target);
  }

  /** Whether an undeclared field of a request is sent to such an endpoint unchanged. */
  passes({ model, endpoint, tier }: Omit<Target, 'definition'>, request: ModelRequest, field: string): boolean {
    const { dialect, definition } = this.accessTo(endpoint);
    return passesField(field, request, { model, endpoint, tier, definition }, dialect.vendor);
  }

  /**
   * The first name of what such an endpoint would not receive of a request that requires it; undefined where it
   * receives everything.
   */
  unmetBy({ model, endpoint, tier }: Omit<Target, 'definition'>, request: ModelRequest): string | undefined {
    const access = this.accessTo(endpoint);
    return firstUnmet(request, { model, endpoint, tier, definition: access.definition }, access);
  }

  /** True when calls to the provider carry a credential. */
  wantsCredential(provider: CatalogProvider): boolean {
    return definitionOf(provider.slug, DIALECTS[provider.dialect].defaultCredential, provider).credential !== 'none';
  }

  /** True when the operator can call the provider without a caller's own credential. */
  isReachable(provider: CatalogProvider): boolean {
    return provider.credential !== undefined || !this.wantsCredential(provider);
  }
}
