import type { TokenFigures } from '../../core/conversation/usage.js';
import type { JsonObject } from '../../core/json/json.js';
import type { figuresOf } from './figures.js';
import { fitting, objectOf } from './read-json.js';

type Figures = Pick<ReturnType<typeof figuresOf>, 'cache_read' | 'cache_write' | 'cache_write_1h'>;

/** The tokens of a prompt, each in one class. Empty where the prompt was not reported. */
export type PromptClasses = Omit<TokenFigures, 'outputTokens'>;

const UNREPORTED: PromptClasses = {};

/**
 * The prompt in a usage object of one of OpenAI's formats. Cache reads and writes are part of it. The exception is
 * figures under Anthropic's names that are evidently counted beside the prompt, as Anthropic counts them. Gateways in
 * front of its models do either (github.com/BerriAI/litellm, issues 15056 and 15945, read 2026-11-29).
 * @param total `total_tokens`
 */
export function promptClasses(
  figures: Figures,
  usage: JsonObject,
  prompt: number | undefined,
  output: number | undefined,
  total: number | undefined,
): PromptClasses {
  if (prompt === undefined) return UNREPORTED;
  const read = figures.cache_read(usage);
  const forAnHour = figures.cache_write_1h(usage);
  const written = figures.cache_write(usage) ?? forAnHour;
  if (read === undefined && written === undefined) return { inputTokens: prompt };
  const cached = (read ?? 0) + (written ?? 0);
  const isBeside = cached > prompt || (cached > 0 && total === prompt + cached + (output ?? 0));
  if (isBeside && hasAnthropicNames(usage)) return classes(prompt, read, written, forAnHour);
  const part = fitting(read, prompt);
  const writtenPart = fitting(written, prompt - (part ?? 0));
  return classes(prompt - (part ?? 0) - (writtenPart ?? 0), part, writtenPart, forAnHour);
}

/** The sum of all classes. */
export const wholePrompt = ({
  inputTokens,
  cacheReadTokens = 0,
  cacheWriteTokens = 0,
  cacheWrite1hTokens = 0,
}: PromptClasses): number | undefined =>
  inputTokens === undefined ? undefined : inputTokens + cacheReadTokens + cacheWriteTokens + cacheWrite1hTokens;

/**
 * Whether the provider reports that the prompt cost nothing; only gateways report costs.
 * @param name the key of the prompt's cost, in OpenRouter's form of the format
 */
export const isPromptFree = (usage: JsonObject, name: string): boolean => objectOf(usage['cost_details'])[name] === 0;

const hasAnthropicNames = (usage: JsonObject): boolean =>
  usage['cache_read_input_tokens'] !== undefined || usage['cache_creation_input_tokens'] !== undefined;

function classes(
  inputTokens: number,
  read: number | undefined,
  written: number | undefined,
  forAnHour: number | undefined,
): PromptClasses {
  const hourPart = fitting(forAnHour, written);
  return {
    inputTokens,
    ...(read !== undefined && { cacheReadTokens: read }),
    ...(written !== undefined && { cacheWriteTokens: written - (hourPart ?? 0) }),
    ...(hourPart !== undefined && { cacheWrite1hTokens: hourPart }),
  };
}
