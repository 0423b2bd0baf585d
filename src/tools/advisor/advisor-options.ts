import type { CacheMarker } from '../../core/conversation/content.js';
import { EFFORTS } from '../../core/conversation/effort.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { definedOnly } from '../../core/defined.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';

/** Default tokens of one piece of advice, beside its reasoning. Chosen: a page or two. */
const OUTPUT_TOKENS_DEFAULT = 2_048;

const INSTRUCTIONS =
  'You advise another model, whose conversation with its user follows. Say what it should do next, and what it has ' +
  'overlooked, in a few precise sentences. You speak to the model, not to its user.';

/** The settings of an advisor, for each of its tool types. The schema has checked the fields. */
export interface AdvisorOptions {
  /** The name by which the model distinguishes several advisors. */
  readonly name?: string;
  readonly instructions: string;
  /** Whether it is sent the conversation, or only the question. */
  readonly seesConversation: boolean;
  readonly usesMax: number;
  /** Placed where the prefix that later consultations share ends. */
  readonly cacheMarker?: CacheMarker;
  /** Settings of the consulted model. */
  readonly wishes: Pick<ModelRequest, 'maxOutputTokens' | 'effort' | 'thinking' | 'sampling'>;
}

export function readAdvisorOptions(parameters: JsonObject): AdvisorOptions {
  const { name, instructions, forward_transcript: forwards, max_uses: usesMax, caching, temperature } = parameters;
  const cacheMarker = readMarker(caching);
  const reasoning = readReasoning(parameters['reasoning']);
  const { thinking } = reasoning;
  const usual = OUTPUT_TOKENS_DEFAULT + (thinking?.type === 'enabled' ? thinking.budgetTokens : 0);
  return {
    ...(typeof name === 'string' && { name: name.trim() }),
    instructions: typeof instructions === 'string' && instructions.trim() !== '' ? instructions : INSTRUCTIONS,
    seesConversation: forwards !== false,
    usesMax: numberIn(usesMax) ?? Infinity,
    ...(cacheMarker && { cacheMarker }),
    wishes: {
      maxOutputTokens: numberIn(parameters['max_completion_tokens']) ?? numberIn(parameters['max_tokens']) ?? usual,
      sampling: definedOnly({ temperature: numberIn(temperature) }),
      ...reasoning,
    },
  };
}

function readReasoning(value: Json | undefined): Pick<ModelRequest, 'effort' | 'thinking'> {
  if (!isJsonObject(value)) return {};
  const effort = EFFORTS.find((word) => word === value['effort']);
  const budgetTokens = numberIn(value['max_tokens']);
  return {
    ...(effort && { effort }),
    ...(budgetTokens !== undefined && { thinking: { type: 'enabled', budgetTokens } }),
  };
}

function readMarker(value: Json | undefined): CacheMarker | undefined {
  if (!isJsonObject(value)) return undefined;
  const { ttl } = value;
  return ttl === '5m' || ttl === '1h' ? { ttl } : {};
}

const numberIn = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined);
