import type { ToolEngine, ToolEngines } from '../core/routing/catalog.js';
import { readSourced, type CredentialSources } from './read-credential.js';
import type { Field } from './field.js';
import { readBaseUrl } from './read-provider.js';

/** The engine that needs no service. */
const SIMULATED = 'simulated';

/** The engines of one tool, and those of them that can be called. */
export interface EnginesDraft {
  readonly named: ReadonlySet<string>;
  /** Without engines whose credential is in a variable that is not set, as with providers. */
  readonly ready: ToolEngines;
}

/** Reads `engines`. @param names of the engines that the tool supports */
export function readEngines(
  field: Field | undefined,
  names: readonly string[],
  sources: CredentialSources,
): EnginesDraft {
  const entries = field?.entries(new RegExp(`^(?:${names.join('|')})$`), `one of ${names.join(', ')}`) ?? [];
  const ready = new Map<string, ToolEngine>();
  for (const [name, entry] of entries) {
    const engine = name === SIMULATED ? readSimulated(entry) : readEngine(entry, sources);
    if (engine) ready.set(name, engine);
  }
  return { named: new Set(entries.map(([name]) => name)), ready };
}

const readSimulated = (field: Field): ToolEngine => priced(field.members([], ['price'])?.get('price'));

/**
 * Reads one engine that is called over HTTP.
 * @param priceName name of its price per use
 * @param members all its fields, where the engine has more than those
 * @returns undefined: there is a fault, or its credential is not set
 */
export function readEngine(
  field: Field,
  sources: CredentialSources,
  priceName = 'price',
  members = field.members(['base_url'], ['credential', priceName]),
): ToolEngine | undefined {
  const baseUrlField = members?.get('base_url');
  const baseUrl = baseUrlField && readBaseUrl(baseUrlField);
  const credentialField = members?.get('credential');
  const secret = readSourced(credentialField, sources)?.secret;
  const price = priced(members?.get(priceName));
  if (baseUrl === undefined || (credentialField && !secret)) return undefined;
  return { baseUrl, ...(secret && { credential: secret }), ...price };
}

function priced(field: Field | undefined): Pick<ToolEngine, 'price'> {
  const price = field?.pricePerUnit();
  return price === undefined ? {} : { price };
}
