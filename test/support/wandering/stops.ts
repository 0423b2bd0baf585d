import type { PlatformId } from '../../../src/core/routing/catalog.js';
import type { Target } from '../../../src/core/provider.js';
import { definitionOf } from '../../../src/providers/catalog/index.js';
import { DIALECT_DOUBLES } from '../doubles/dialects.js';
import type { DialectDouble, WireDialect } from '../doubles/double.js';
import { reasoningChat } from '../doubles/reasoning-chat.js';
import { endpoint, model } from '../route-inputs.js';

/**
 * Whose models answer: what they sign or seal, only they read again. What nobody signs, whoever tells such words may
 * read. Absent: they tell no reasoning.
 */
export type Maker = 'anthropic' | 'amazon' | 'google' | 'openai' | 'cohere' | 'nobody';

/** A model that a conversation comes by. */
export interface Stop {
  readonly name: string;
  readonly dialect: WireDialect;
  readonly platform: PlatformId;
  readonly target: Target;
  readonly maker?: Maker;
  readonly double: DialectDouble;
  /** False: a PDF is refused by name. */
  readonly takesPdfs: boolean;
}

function stop(
  name: string,
  dialect: WireDialect,
  slug: string,
  upstreamModel: string,
  maker?: Maker,
  double = DIALECT_DOUBLES[dialect],
): Stop {
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

/** Every dialect, and both kinds of those whose models differ in what they take. */
export const STOPS: readonly Stop[] = [
  stop('Claude', 'anthropic-messages', 'anthropic', 'claude-sonnet-4-5', 'anthropic'),
  stop('Claude on Bedrock', 'bedrock-converse', 'amazon-bedrock', 'us.anthropic.claude-sonnet-4-5-v1:0', 'anthropic'),
  stop('Nova on Bedrock', 'bedrock-converse', 'amazon-bedrock', 'us.amazon.nova-2-lite-v1:0', 'amazon'),
  stop('Command', 'cohere-chat', 'cohere', 'command-a-reasoning-08-2025', 'cohere'),
  stop('Gemini 3', 'google-gemini', 'google-ai-studio', 'gemini-3-flash-preview', 'google'),
  stop('Gemini 2.5', 'google-gemini', 'google-ai-studio', 'gemini-2.5-flash', 'google'),
  stop('GPT by chat', 'openai-chat', 'openai', 'gpt-4.1'),
  stop('DeepSeek', 'openai-chat', 'deepseek', 'deepseek-v4-pro', 'nobody', reasoningChat),
  stop('Kimi', 'openai-chat', 'moonshotai', 'kimi-k2.6', 'nobody', reasoningChat),
  stop('GPT by responses', 'openai-responses', 'openai', 'gpt-5', 'openai'),
];
