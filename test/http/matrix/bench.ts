import type { PlatformId } from '../../../src/core/routing/catalog.js';
import { definitionOf } from '../../../src/providers/catalog/index.js';
import { API_KEY, startGateway, type TestGateway } from '../../support/app.js';
import type { TestDatabase } from '../../support/database.js';
import type { WireDialect } from '../../support/doubles/double.js';
import { WAYS, type Way } from '../../support/doubles/platforms.js';
import { startDouble, type Double } from '../../support/doubles/start-double.js';
import type { Answer } from '../../support/upstream-answers.js';
import { Upstream } from '../../support/upstreams.js';
import { responsesBody } from '../translation-bench.js';
import { FILES, FILES_AT } from './cases.js';
import { FAMILIES, PLACES, type Counting, type FamilyId } from './serving-matrix.js';

/** A family where it is served, and how that is entered. */
export interface Pair {
  readonly family: FamilyId;
  readonly dialect: WireDialect;
  readonly platform: PlatformId;
  readonly way: Way;
  readonly provider: string;
  readonly model: string;
  readonly counts: Counting;
  /** Id of the model in the catalog. */
  readonly id: string;
}

const idOf = (family: FamilyId, platform: PlatformId, way: Way): string =>
  `${platform}/${family}${way === WAYS[platform][0] ? '' : ` by ${way}`}`.toLowerCase().replaceAll(' ', '-');

/** All that are served, in the order of the tables. */
export const PAIRS: readonly Pair[] = (Object.keys(FAMILIES) as FamilyId[]).flatMap((family) =>
  Object.entries(PLACES[family]).flatMap(([name, servedAt]) => {
    if ('notServed' in servedAt) return [];
    const platform = name as PlatformId;
    const { ways, ...served } = servedAt;
    return Object.entries(ways).flatMap(([entered, isServed]) => {
      const way = entered as Way;
      if (isServed !== true) return [];
      return [{ ...served, family, dialect: FAMILIES[family], platform, way, id: idOf(family, platform, way) }];
    });
  }),
);

/** A gateway before a double of each platform, and a server of files; a model for each pair. */
export class MatrixBench {
  private constructor(
    readonly gateway: TestGateway,
    private readonly doubles: ReadonlyMap<PlatformId, Double>,
    private readonly files: Upstream,
  ) {}

  static async start(database: TestDatabase): Promise<MatrixBench> {
    const platforms = [...new Set(PAIRS.map(({ platform }) => platform))];
    const started = await Promise.all(
      platforms.map(async (platform) => [platform, await startDouble(platform)] as const),
    );
    const doubles = new Map(started);
    const files = await new Upstream(
      () => undefined,
      ({ path }) => fileAt(path),
    ).listen();
    const gateway = await startGateway(database, {
      catalog: catalogOf(doubles),
      coolsDown: false,
      variables: {
        FAIRLEAD_EGRESS_ALLOW: `127.0.0.1:${files.port}`,
        // Every pair fails a dozen calls on purpose.
        FAIRLEAD_FLOOD: 'wasted=10000/60s',
      },
    });
    return new MatrixBench(gateway, doubles, files);
  }

  doubleOf({ platform }: Pair): Double {
    return this.doubles.get(platform)!;
  }

  /** Sends a body to a face's path below `/api/v1`. */
  send(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const own = path === '/responses' ? responsesBody(body) : body;
    return fetch(`${this.gateway.origin}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}`, ...headers },
      body: JSON.stringify(own).replaceAll(FILES_AT, this.files.origin),
    });
  }

  /** What was sent, with the files at the address by which the cases know them. */
  read<T>(sent: T): T {
    return JSON.parse(JSON.stringify(sent).replaceAll(this.files.origin, FILES_AT)) as T;
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await Promise.all([...this.doubles.values(), this.files].map((server) => server.close()));
  }
}

function fileAt(path: string): Answer {
  const file = FILES.find((one) => one.path === path);
  if (!file) return { status: 404, body: [] };
  return { headers: { 'content-type': file.type }, body: [Buffer.from(file.data, 'base64')] };
}

/**
 * Providers with their real slugs, so that the code's definitions apply. A second path to one is a separate provider,
 * for which the file repeats those definitions.
 */
function catalogOf(doubles: ReadonlyMap<PlatformId, Double>): object {
  const providers = new Map<string, object>();
  const models = PAIRS.map(({ dialect, platform, provider, way, model, id }) => {
    const double = doubles.get(platform)!;
    const isFirst = way === WAYS[platform][0];
    const slug = isFirst ? provider : `${provider}-${way.toLowerCase().replaceAll(' ', '-')}`;
    if (!providers.has(slug)) {
      providers.set(slug, {
        slug,
        name: slug,
        dialect,
        platform,
        base_url: double.baseUrl(dialect),
        credential: { value: double.credentialFor(way) },
        ...(way === 'API version' && { api_version: '2024-10-21' }),
        ...(!isFirst && { quirks: quirksOf(provider) }),
      });
    }
    return {
      id,
      name: id,
      context_length: 200_000,
      max_completion_tokens: 64_000,
      input_modalities: ['text', 'image', 'file'],
      output_modalities: ['text'],
      endpoints: [
        { provider: slug, model, dialect, pricing: { prompt: '1', completion: '2', input_cache_read: '0.1' } },
      ],
    };
  });
  return { version: 1, providers: [...providers.values()], models };
}

/** As the catalog's file names them. */
const quirksOf = (provider: string): object =>
  Object.fromEntries(
    Object.entries(definitionOf(provider, 'bearer').quirks).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
