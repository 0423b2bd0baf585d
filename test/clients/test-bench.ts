import { API_KEY, extendedCatalogOf, startGateway, type GatewayOptions, type TestGateway } from '../support/app.js';
import type { TestDatabase } from '../support/database.js';
import type { Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream, type UpstreamKind } from '../support/upstreams.js';
import type { Client, ClientKind } from './client.js';
import { PROVIDERS, type Provider } from './scripted-upstream.js';

/** The AI SDK treats any model with `claude-` in its id as one it knows. */
export const AUTHORS = ['test', 'claude-test'] as const;
type Author = (typeof AUTHORS)[number];

/** A gateway between clients and one scripted upstream of each kind. */
export class TestBench {
  private constructor(
    private readonly gateway: TestGateway,
    private readonly upstreams: ReadonlyMap<UpstreamKind, Upstream>,
  ) {}

  static async start(database: TestDatabase, options: GatewayOptions = {}): Promise<TestBench> {
    const upstreams = new Map<UpstreamKind, Upstream>();
    for (const { kind } of PROVIDERS) upstreams.set(kind, await startUpstream(kind));
    const catalog = extendedCatalogOf(
      ...AUTHORS.flatMap((author) =>
        PROVIDERS.map(({ kind, dialect }) => ({
          id: `${author}/${kind}`,
          // Abandoned calls that continue are tested in test/http/abandoned.spec.ts.
          at: [{ url: upstreams.get(kind)!.url, dialect, aborts: { whole: 'stops' } }],
        })),
      ),
    );
    return new TestBench(await startGateway(database, { catalog, coolsDown: false, ...options }), upstreams);
  }

  get origin(): string {
    return this.gateway.origin;
  }

  connect(client: ClientKind, key = API_KEY): Client {
    return client.connect(this.origin, key);
  }

  upstream({ kind }: Provider): Upstream {
    return this.upstreams.get(kind)!;
  }

  /** Scripts the provider. @returns a model it serves */
  script(provider: Provider, script: Script, author: Author = 'test'): string {
    this.upstream(provider).script(script);
    return `${author}/${provider.kind}`;
  }

  async close(): Promise<void> {
    await this.gateway.close();
    for (const upstream of this.upstreams.values()) await upstream.close();
  }
}
