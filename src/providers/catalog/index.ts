import type { CredentialScheme, ProviderDefinition, UndeclaredFields } from '../../core/provider.js';
import type { CatalogProvider } from '../../core/routing/catalog.js';
import { amazonBedrock } from './amazon-bedrock.js';
import { anthropic } from './anthropic.js';
import { azure } from './azure.js';
import { cohere } from './cohere.js';
import { googleVertex } from './google-vertex.js';
import { googleAiStudio } from './google-ai-studio.js';
import { mistral } from './mistral.js';
import { openaiCompatible } from './openai-compatible.js';
import { openai } from './openai.js';
import { openrouter } from './openrouter.js';
import { reka } from './reka.js';
import { thinkingmachines } from './thinkingmachines.js';

/**
 * Every provider of which the code knows more than the catalog file states. To add one, write a line in a table, or a
 * file and a line here.
 */
export const DEFINITIONS: readonly ProviderDefinition[] = [
  amazonBedrock,
  anthropic,
  azure,
  cohere,
  googleVertex,
  googleAiStudio,
  mistral,
  openai,
  openrouter,
  reka,
  thinkingmachines,
  ...openaiCompatible,
];

const bySlug = new Map(DEFINITIONS.map((definition) => [definition.slug, definition]));

const ALL_FIELDS: UndeclaredFields = { allBut: new Map() };

type DefinedByFile = Pick<CatalogProvider, 'quirks' | 'passesUnknownFields' | 'needsNoCredential'>;

/**
 * The definition of a provider. A provider without one gets its dialect's own credential scheme and no quirks. It
 * receives no field that no face declares.
 * @param file the definition in the catalog file: each of its quirks replaces the code's own, and it may let all fields
 * through
 */
export function definitionOf(
  slug: string,
  defaultCredential: CredentialScheme,
  { quirks, passesUnknownFields, needsNoCredential }: DefinedByFile = {},
): ProviderDefinition {
  const known = bySlug.get(slug) ?? { slug, credential: defaultCredential, quirks: {} };
  if (!quirks && !passesUnknownFields && !needsNoCredential) return known;
  return {
    ...known,
    ...(needsNoCredential && { credential: 'none' as const }),
    quirks: { ...known.quirks, ...quirks },
    ...(passesUnknownFields && { undeclared: ALL_FIELDS }),
  };
}
