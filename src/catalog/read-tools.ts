import { FETCH_ENGINES, SEARCH_ENGINES, type ToolsConfiguration } from '../core/routing/catalog.js';
import type { Field } from './field.js';
import type { CredentialSources } from './read-credential.js';
import { readEngines } from './read-engines.js';
import { MODEL_ID } from './read-model.js';
import type { NamedModelField } from './read-plugins.js';

const MIB = 1024 * 1024;
/** Limits of bash, with the default: an interpreter needs memory to start, and a tool is aborted after five minutes. */
const BASH_MEMORY = { usual: 64 * MIB, min: 16 * MIB, max: 1024 * MIB };
const BASH_MS = { usual: 30_000, max: 300_000 };

/** The `tools` of one file. */
export interface ToolsDraft {
  readonly tools: ToolsConfiguration;
  readonly named: readonly NamedModelField[];
}

/** Reads `tools`. Faulty entries are recorded as faults and left out. */
export function readTools(field: Field | undefined, sources: CredentialSources): ToolsDraft {
  const members = field?.members([], ['web_search', 'web_fetch', 'image_generation', 'bash']);
  const webSearch = readWebSearch(members?.get('web_search'), sources);
  const webFetch = readWebFetch(members?.get('web_fetch'), sources);
  const imageModelField = members?.get('image_generation')?.members(['model'])?.get('model');
  const model = imageModelField?.matching(MODEL_ID, 'author/slug or author/slug:variant');
  const bash = readBash(members?.get('bash'));
  return {
    tools: {
      ...(webSearch && { webSearch }),
      ...(webFetch && { webFetch }),
      ...(model !== undefined && { imageGeneration: { model } }),
      ...(bash && { bash }),
    },
    named: imageModelField && model !== undefined ? [{ id: model, field: imageModelField, draws: true }] : [],
  };
}

/** Undefined where no engine is named and none can be called. */
function readWebSearch(field: Field | undefined, sources: CredentialSources): ToolsConfiguration['webSearch'] {
  const members = field?.members(['engines'], ['default']);
  const { named, ready } = readEngines(members?.get('engines'), SEARCH_ENGINES, sources);
  const defaultField = members?.get('default');
  if (!defaultField) {
    const [first] = ready.keys();
    return first === undefined ? undefined : { default: first, engines: ready };
  }
  const preferred = defaultField.slug();
  if (preferred === undefined) return undefined;
  return named.has(preferred) ? { default: preferred, engines: ready } : defaultField.refuse('names none of the engines');
}

function readWebFetch(field: Field | undefined, sources: CredentialSources): ToolsConfiguration['webFetch'] {
  const members = field?.members([], ['price', 'engines']);
  return (
    members && {
      price: members.get('price')?.pricePerUnit() ?? 0n,
      engines: readEngines(members.get('engines'), FETCH_ENGINES, sources).ready,
    }
  );
}

function readBash(field: Field | undefined): ToolsConfiguration['bash'] {
  const members = field?.members([], ['price', 'memory', 'time']);
  return (
    members && {
      price: members.get('price')?.pricePerUnit() ?? 0n,
      memoryBytes: members.get('memory')?.sizeBytes(BASH_MEMORY) ?? BASH_MEMORY.usual,
      timeMs: members.get('time')?.durationMs(BASH_MS.max) ?? BASH_MS.usual,
    }
  );
}
