import type { Endpoint } from '../../core/routing/catalog.js';
import type { Target } from '../../core/provider.js';

/** Models whose vendors restrict requests in the same way, wherever they are served. */
export type ModelFamily = 'claude' | 'gpt' | 'gpt-oss' | 'gemini' | 'nova' | 'grok' | 'mistral';

/** The first match counts. `gpt-oss` has open weights, and none of the restrictions of OpenAI's service. */
const BY_NAME: readonly { readonly name: RegExp; readonly family: ModelFamily }[] = [
  { name: /\bclaude\b/, family: 'claude' },
  { name: /\bgpt-oss\b/, family: 'gpt-oss' },
  { name: /\b(?:gpt-\d|chatgpt|o\d)/, family: 'gpt' },
  { name: /\bgemini-/, family: 'gemini' },
  { name: /\bnova-/, family: 'nova' },
  { name: /\bgrok-/, family: 'grok' },
  { name: /\b(?:mistral|ministral|magistral|codestral|devstral|pixtral)\b/, family: 'mistral' },
];

/** Endpoints live as long as their catalog. */
const families = new WeakMap<Endpoint, ModelFamily | undefined>();

/**
 * The family of a target's model: by its name at the provider (`us.anthropic.claude-opus-4-6-v1`). Where that is the
 * account's own name (an Azure deployment, an inference profile), by its id in the catalog.
 */
export function modelFamilyOf({ endpoint, model }: Pick<Target, 'endpoint' | 'model'>): ModelFamily | undefined {
  const known = families.get(endpoint);
  if (known !== undefined || families.has(endpoint)) return known;
  const row =
    BY_NAME.find(({ name }) => name.test(endpoint.upstreamModel)) ?? BY_NAME.find(({ name }) => name.test(model.id));
  families.set(endpoint, row?.family);
  return row?.family;
}
