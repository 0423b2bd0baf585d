import type { PlatformId } from '../../../src/core/routing/catalog.js';
import type { Target } from '../../../src/core/provider.js';
import { definitionOf } from '../../../src/providers/catalog/index.js';
import { DIALECT_DOUBLES } from '../doubles/dialects.js';
import type { DialectDouble, WireDialect } from '../doubles/double.js';
import { reasoningChat } from '../doubles/reasoning-chat.js';
import { endpoint, model } from '../route-inputs.js';

/**
 * The maker of the models: only it can read what it signs or seals. Unsigned reasoning can be read by any model that
 * emits some. Absent: they emit no reasoning.
 */
export type Maker = 'anthropic' | 'amazon' | 'google' | 'openai' | 'cohere' | 'none';

/** A model that a conversation visits. */
export interface ServedModel {
  readonly name: string;
  readonly dialect: WireDialect;
  readonly platform: PlatformId;
  readonly target: Target;
  readonly maker?: Maker;
  readonly double: DialectDouble;
  /** False: a PDF is refused by name. */
  readonly takesPdfs: boolean;
}

function served(
  name: string,
  dialect: WireDialect,
  slug: string,
  upstreamModel: string,
  maker?: Maker,
  double = DIALECT_DOUBLES[dialect],
): ServedModel {
  const one = endpoint(slug, { upstreamModel, contextLength: 200_000 });
  return {
    name,
    dialect,
    platform: dialect === 'bedrock-converse' ? 'bedrock' : 'direct',
    target: {
      model: model('test/model', [one], { inputModalities: ['text', 'image', 'file'], maxCompletionTokens: 64_000 }),
      endpoint: one,
      tier: 'standard',
      definition: definitionOf(slug, 'bearer'),
    },
    ...(maker && { maker }),
    double,
    takesPdfs: dialect !== 'cohere-chat',
  };
}

/** Every dialect, and both kinds of those whose models accept different content. */
export const SERVED_MODELS: readonly ServedModel[] = [
  served('Claude', 'anthropic-messages', 'anthropic', 'claude-sonnet-4-5', 'anthropic'),
  served('Claude on Bedrock', 'bedrock-converse', 'amazon-bedrock', 'us.anthropic.claude-sonnet-4-5-v1:0', 'anthropic'),
  served('Nova on Bedrock', 'bedrock-converse', 'amazon-bedrock', 'us.amazon.nova-2-lite-v1:0', 'amazon'),
  served('Command', 'cohere-chat', 'cohere', 'command-a-reasoning-08-2025', 'cohere'),
  served('Gemini 3', 'google-gemini', 'google-ai-studio', 'gemini-3-flash-preview', 'google'),
  served('Gemini 2.5', 'google-gemini', 'google-ai-studio', 'gemini-2.5-flash', 'google'),
  served('GPT by chat', 'openai-chat', 'openai', 'gpt-4.1'),
  served('DeepSeek', 'openai-chat', 'deepseek', 'deepseek-v4-pro', 'none', reasoningChat),
  served('Kimi', 'openai-chat', 'moonshotai', 'kimi-k2.6', 'none', reasoningChat),
  served('GPT by responses', 'openai-responses', 'openai', 'gpt-5', 'openai'),
];
