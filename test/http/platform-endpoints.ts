import type { WireDialect } from '../support/doubles/double.js';
import { PLATFORM_DOUBLES } from '../support/doubles/platforms.js';
import type { Double } from '../support/doubles/start-double.js';
import { PLATFORM_IDS, type PlatformId } from '../../src/core/routing/catalog.js';

// Every dialect on every platform that serves it, as models of one catalog.

/** A dialect at a platform that serves it, by the requested model. */
export interface PlatformEndpoint {
  readonly platform: PlatformId;
  readonly dialect: WireDialect;
  readonly model: string;
  /** Provider, and the name of the model there. */
  readonly slug: string;
  readonly upstreamModel: string;
  /** `supported_parameters` of the endpoint, if the catalog lists them. */
  readonly lists?: readonly string[];
}

const SLUGS: Readonly<Partial<Record<WireDialect, string>>> = {
  'anthropic-messages': 'anthropic',
  'cohere-chat': 'cohere',
  'google-gemini': 'google-ai-studio',
};
const PLATFORM_SLUGS = { azure: 'azure', bedrock: 'amazon-bedrock', vertex: 'google-vertex' } as const;
const UPSTREAM_MODELS: Readonly<Record<WireDialect, string>> = {
  'anthropic-messages': 'claude-sonnet-4-5',
  'bedrock-converse': 'us.anthropic.claude-sonnet-4-5-v1:0',
  'cohere-chat': 'command-a-reasoning',
  'google-gemini': 'gemini-3-flash-preview',
  'openai-chat': 'gpt-4.1',
  'openai-responses': 'gpt-5',
};

export const platformEndpointOf = (
  platform: PlatformId,
  dialect: WireDialect,
  upstreamModel = UPSTREAM_MODELS[dialect],
): PlatformEndpoint => ({
  platform,
  dialect,
  model: `test/${platform}-${dialect}${upstreamModel === UPSTREAM_MODELS[dialect] ? '' : `-${upstreamModel}`}`,
  slug: platform === 'direct' ? (SLUGS[dialect] ?? 'openai') : PLATFORM_SLUGS[platform],
  upstreamModel,
});

export const PLATFORM_ENDPOINTS: readonly PlatformEndpoint[] = PLATFORM_IDS.flatMap((platform) =>
  PLATFORM_DOUBLES[platform].dialects.map((dialect) => platformEndpointOf(platform, dialect)),
);

export function platformCatalog(
  doubles: ReadonlyMap<PlatformId, Double>,
  endpoints: readonly PlatformEndpoint[],
): object {
  const providers = new Map<string, object>();
  for (const { platform, dialect, slug } of endpoints) {
    const double = doubles.get(platform)!;
    if (providers.has(slug)) continue;
    providers.set(slug, {
      slug,
      name: slug,
      dialect,
      platform,
      base_url: double.baseUrl(dialect),
      credential: { value: double.credential },
    });
  }
  const models = endpoints.map(({ model: id, slug, dialect, upstreamModel, lists }) => ({
    id,
    name: id,
    context_length: 200_000,
    max_completion_tokens: 64_000,
    input_modalities: ['text', 'image', 'file'],
    endpoints: [
      {
        provider: slug,
        model: upstreamModel,
        dialect,
        pricing: { prompt: '1', completion: '1' },
        ...(lists && { supported_parameters: lists }),
      },
    ],
  }));
  return { version: 1, providers: [...providers.values()], models };
}
