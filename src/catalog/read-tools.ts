import type { ToolEngine, ToolsConfiguration } from '../core/routing/catalog.js';
import type { Field } from './field.js';
import { MODEL_ID } from './read-model.js';
import { readSecret, type CredentialSources } from './read-credential.js';
import { readBaseUrl } from './read-provider.js';

/** The `tools` of one file. */
export interface ToolsDraft {
  readonly tools: ToolsConfiguration;
  /** Where the image model is named, for the fault when there is no such model. */
  readonly imageModelField?: Field;
}

/** Reads `tools`. What is wrong is noted as faults and left out. */
export function readTools(field: Field | undefined, sources: CredentialSources): ToolsDraft {
  const members = field?.members([], ['web_search', 'image_generation']);
  const webSearch = readWebSearch(members?.get('web_search'), sources);
  const imageModelField = members?.get('image_generation')?.members(['model'])?.get('model');
  const model = imageModelField?.matching(MODEL_ID, 'author/slug or author/slug:variant');
  return {
    tools: { ...(webSearch && { webSearch }), ...(model !== undefined && { imageGeneration: { model } }) },
    ...(imageModelField && model !== undefined && { imageModelField }),
  };
}

function readWebSearch(field: Field | undefined, sources: CredentialSources): ToolsConfiguration['webSearch'] {
  const members = field?.members(['default', 'engines']);
  const defaultField = members?.get('default');
  const preferred = defaultField?.slug();
  const engines = new Map<string, ToolEngine>();
  for (const [name, engine] of members?.get('engines')?.entries() ?? []) engines.set(name, readEngine(engine, sources));
  if (!defaultField || preferred === undefined) return undefined;
  return engines.has(preferred) ? { default: preferred, engines } : defaultField.refuse('names none of the engines');
}

function readEngine(field: Field, sources: CredentialSources): ToolEngine {
  const members = field.members([], ['base_url', 'credential', 'price']);
  const baseUrlField = members?.get('base_url');
  const baseUrl = baseUrlField && readBaseUrl(baseUrlField);
  const credential = readSecret(members?.get('credential'), sources);
  const price = members?.get('price')?.pricePerUnit();
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(credential && { credential }),
    ...(price !== undefined && { price }),
  };
}
