import { modelRequest } from './model-request.js';
import type { ModelRequest } from '../../src/core/conversation/request.js';
import type { Platform } from '../../src/core/platform.js';
import type { CatalogProvider, DialectId, Endpoint } from '../../src/core/routing/catalog.js';
import { Secret } from '../../src/core/secret.js';
import type { PlatformDependencies } from '../../src/providers/platforms/dependencies.js';
import type { PreparedCall } from '../../src/providers/prepared-call.js';
import { ProviderClient } from '../../src/providers/provider-client.js';
import { ProviderRegistry, type ProviderAccess } from '../../src/providers/registry.js';
import type { Transport } from '../../src/providers/transport/transport.js';
import type { Environment } from '../../src/shared/environment.js';
import { AheadClock } from './ahead-clock.js';

const SETTINGS = { timeouts: { connectMs: 2_000, idleMs: 60_000 } } as unknown as Environment;

/** The varying parts of a call; the rest is the same for all. */
export interface BenchCall {
  readonly baseUrl: string;
  readonly dialect?: DialectId;
  readonly credential?: string;
  /** The credential is the operator's; else it is a caller's own. */
  readonly isOperators?: boolean;
  /** Fields of the provider's entry in the catalog. */
  readonly provider?: Partial<CatalogProvider>;
  readonly upstreamModel?: string;
  readonly request?: Partial<ModelRequest>;
}

/** The client over a transport; with a platform of the test's own, every provider uses that one. */
export class ProviderBench {
  readonly clock = new AheadClock();
  readonly client: ProviderClient;
  private readonly secrets = new Map<string, Secret>();

  constructor(transport: Transport, create?: (means: PlatformDependencies) => Platform) {
    const { clock } = this;
    const registry = create
      ? new OnePlatform(transport, clock, create({ transport, clock }))
      : new ProviderRegistry(transport, clock);
    this.client = new ProviderClient(registry, SETTINGS);
  }

  prepare(call: BenchCall): PreparedCall {
    const { baseUrl, dialect = 'anthropic-messages', isOperators = false, request = {} } = call;
    const credential = this.secretOf(call.credential ?? 'sk-test');
    const provider: CatalogProvider = {
      slug: 'test',
      name: 'Test',
      dialect,
      baseUrl,
      policy: { collectsData: false, zeroDataRetention: true },
      ...(isOperators && { credential }),
      ...call.provider,
    };
    const endpoint: Endpoint = {
      tag: 'test',
      provider,
      upstreamModel: call.upstreamModel ?? 'vendor/model-1:0',
      pricing: null,
      quantization: 'unknown',
      contextLength: 200_000,
      supportedParameters: [],
    };
    const model = {
      id: 'test/model',
      name: 'Model',
      contextLength: 200_000,
      inputModalities: ['text'],
      outputModalities: ['text'],
      scores: {},
      endpoints: [endpoint],
    } as const;
    return this.client.prepare({ model, endpoint, tier: 'standard' }, requestOf(request), credential);
  }

  /** Returns one object for each text, as for a catalog entry. */
  private secretOf(text: string): Secret {
    const known = this.secrets.get(text) ?? new Secret(text);
    this.secrets.set(text, known);
    return known;
  }
}

class OnePlatform extends ProviderRegistry {
  constructor(
    transport: Transport,
    clock: AheadClock,
    private readonly platform: Platform,
  ) {
    super(transport, clock);
  }

  override accessTo(endpoint: Endpoint): ProviderAccess {
    return { ...super.accessTo(endpoint), platform: this.platform };
  }
}

const requestOf = (changes: Partial<ModelRequest>): ModelRequest =>
  modelRequest({
    model: 'test/model',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    maxOutputTokens: 100,
    ...changes,
  });
