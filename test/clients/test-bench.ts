import { API_KEY, catalogOf, startGateway, type GatewayOptions, type TestGateway } from '../support/app.js';
import type { TestDatabase } from '../support/database.js';
import type { Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream, type UpstreamKind } from '../support/upstreams.js';
import type { Client, ClientKind } from './client.js';
import { PROVIDERS, type Provider } from './scripted-upstream.js';

/** A gateway between clients and one scripted upstream of each kind. */
export class TestBench {
  private constructor(
    private readonly gateway: TestGateway,
    private readonly upstreams: ReadonlyMap<UpstreamKind, Upstream>,
  ) {}

  static async start(database: TestDatabase, options: GatewayOptions = {}): Promise<TestBench> {
    const upstreams = new Map<UpstreamKind, Upstream>();
    for (const { kind } of PROVIDERS) upstreams.set(kind, await startUpstream(kind));
    const catalog = catalogOf(
      ...PROVIDERS.map(({ kind, dialect }) => ({
        id: modelOf(kind),
        at: [{ url: upstreams.get(kind)!.url, dialect }],
      })),
    );
    return new TestBench(await startGateway(database, { catalog, ...options }), upstreams);
  }

  get origin(): string {
    return this.gateway.origin;
  }

  connect(client: ClientKind, key = API_KEY): Client {
    return client.connect(this.gateway.origin, key);
  }

  upstream({ kind }: Provider): Upstream {
    return this.upstreams.get(kind)!;
  }

  /** Scripts the provider. @returns the model it serves */
  script(provider: Provider, script: Script): string {
    this.upstream(provider).script(script);
    return modelOf(provider.kind);
  }

  async close(): Promise<void> {
    await this.gateway.close();
    for (const upstream of this.upstreams.values()) await upstream.close();
  }
}

const modelOf = (kind: UpstreamKind): string => `test/${kind}`;
