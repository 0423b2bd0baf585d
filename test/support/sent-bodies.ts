import type { ModelRequest } from '../../src/core/conversation/request.js';
import { Untranslatable } from '../../src/core/errors.js';
import { printJson, type Json } from '../../src/core/json/json.js';
import type { Target } from '../../src/core/provider.js';
import { doAtOnce } from '../../src/core/steps.js';
import { anthropicMessages } from '../../src/providers/dialects/anthropic-messages/dialect.js';
import { bedrockConverse } from '../../src/providers/dialects/bedrock-converse/dialect.js';
import { openaiChat } from '../../src/providers/dialects/openai-chat/dialect.js';
import { withFittingTools } from '../../src/providers/fitting/fit-tools.js';

const DIALECTS = [anthropicMessages, openaiChat, bedrockConverse];

type Encoded = 'anthropic-messages' | 'openai-chat' | 'bedrock-converse';

function target(dialect: Encoded): Target {
  // Converse carries text documents in base64, in which words cannot be found; without files it carries them as text.
  const readsFiles = dialect !== 'bedrock-converse';
  const endpoint: Target['endpoint'] = {
    tag: 'p',
    provider: {
      slug: 'p',
      name: 'P',
      dialect,
      baseUrl: 'http://127.0.0.1:1',
      policy: { collectsData: true, zeroDataRetention: false },
    },
    upstreamModel: 'upstream',
    // Searches requested by a field go to the vendor.
    pricing: { prompt: 0n, completion: 0n, tiers: [], webSearch: 0n },
    quantization: 'unknown',
    contextLength: 200_000,
    supportedParameters: [],
  };
  const model: Target['model'] = {
    id: 'm',
    name: 'M',
    contextLength: 200_000,
    inputModalities: readsFiles ? ['text', 'file'] : ['text'],
    outputModalities: ['text'],
    scores: {},
    endpoints: [endpoint],
  };
  const quirks = { returnsReasoningDetails: true, acceptsFiles: readsFiles };
  return { model, endpoint, tier: 'standard', definition: { slug: 'p', credential: 'bearer', quirks } };
}

/** The bodies for each dialect that can carry the request. */
export function sentBodies(request: ModelRequest): { readonly body: Json | object; readonly headers: object }[] {
  return DIALECTS.flatMap((dialect) => {
    try {
      const to = target(dialect.id as Encoded);
      const { body, headers } = doAtOnce(dialect.encode(withFittingTools(request, to, dialect.vendor), to, new Map()));
      return [{ body, headers: headers ?? {} }];
    } catch (error) {
      if (error instanceof Untranslatable) return [];
      throw error;
    }
  });
}

/** All of it, as one text. */
export const sentOf = (request: ModelRequest): string =>
  sentBodies(request)
    .flatMap(({ body, headers }) => [printJson(body), JSON.stringify(headers)])
    .join('\n');
