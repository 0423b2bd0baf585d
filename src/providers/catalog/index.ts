import type { CredentialScheme, ProviderDefinition } from '../../core/provider.js';
import type { Quirks } from '../../core/quirks.js';
import { anthropic } from './anthropic.js';
import { mistral } from './mistral.js';
import { openaiCompatible } from './openai-compatible.js';
import { openai } from './openai.js';
import { openrouter } from './openrouter.js';

/**
 * Every provider that the code knows more of than the catalog file says. Adding one is a file, or a line in
 * a table, and a line here.
 */
export const DEFINITIONS: readonly ProviderDefinition[] = [anthropic, mistral, openai, openrouter, ...openaiCompatible];

const bySlug = new Map(DEFINITIONS.map((definition) => [definition.slug, definition]));

/**
 * What is known of a provider. One that nobody described has its dialect's own credential scheme and no quirks.
 * @param quirks of the catalog file: each is in the place of the code's own
 */
export function definitionOf(slug: string, defaultCredential: CredentialScheme, quirks?: Quirks): ProviderDefinition {
  const known = bySlug.get(slug) ?? { slug, credential: defaultCredential, quirks: {} };
  return quirks ? { ...known, quirks: { ...known.quirks, ...quirks } } : known;
}
