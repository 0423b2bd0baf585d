import { ABORT_RULES, DEFAULT_ABORTS, type AbortRules } from '../core/routing/abort-rules.js';
import {
  DIALECT_IDS,
  PLATFORM_IDS,
  SIMULATED_SCHEME,
  type CatalogProvider,
  type DataPolicy,
} from '../core/routing/catalog.js';
import { Secret } from '../core/secret.js';
import type { Field } from './field.js';
import { readQuirks } from './read-quirks.js';

/** Gives the value of a variable of the process, undefined when it is not set. */
export type VariableLookup = (name: string) => string | undefined;

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Reads one entry of `providers`. Undefined: at least one fault was noted. */
export function readProvider(field: Field, variable: VariableLookup): CatalogProvider | undefined {
  const members = field.members(
    ['slug', 'name', 'dialect'],
    ['base_url', 'platform', 'credential', 'policy', 'aborts', 'quirks', 'passes_unknown_fields'],
  );
  const slug = members?.get('slug')?.slug();
  const name = members?.get('name')?.text();
  const dialect = members?.get('dialect')?.oneOf(DIALECT_IDS);
  const baseUrl = members?.get('base_url');
  const address = baseUrl && readBaseUrl(baseUrl);
  const platform = members?.get('platform')?.oneOf(PLATFORM_IDS);
  const credential = readCredential(members?.get('credential'), variable);
  const policy = readPolicy(members?.get('policy'));
  const aborts = readAborts(members?.get('aborts'));
  const quirksField = members?.get('quirks');
  const quirks = quirksField && readQuirks(quirksField);
  const passesUnknownFields = members?.get('passes_unknown_fields')?.flag() ?? false;
  if (slug === undefined || name === undefined || dialect === undefined) return undefined;
  // The simulated dialect calls nobody: it has no address, and one of its own instead.
  const isSimulated = dialect === 'simulated';
  if (isSimulated && baseUrl) return baseUrl.refuse('is not for the simulated dialect, which calls nobody');
  if (!isSimulated && !baseUrl) return field.refuse('needs a base_url');
  return {
    slug,
    name,
    dialect,
    ...(platform && { platform }),
    baseUrl: address ?? SIMULATED_SCHEME + slug,
    ...(credential && { credential }),
    policy,
    ...(aborts && { aborts }),
    ...(quirks && { quirks }),
    ...(passesUnknownFields && { passesUnknownFields }),
  };
}

/**
 * An address that paths can be appended to: no trailing slash, no query, and no credentials,
 * which would end up in logs.
 */
export function readBaseUrl(field: Field): string | undefined {
  const text = field.text();
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return field.refuse('must be an http or https URL');
  if (url.username !== '' || url.password !== '') return field.refuse('must not contain credentials; use `credential`');
  if (text.includes('?') || text.includes('#')) return field.refuse('must not contain a query or a fragment');
  return url.href.replace(/\/+$/, '');
}

/** The operator's own credential. A variable that is not set means there is none: callers bring theirs. */
export function readCredential(field: Field | undefined, variable: VariableLookup): Secret | undefined {
  const members = field?.members([], ['env', 'value']);
  if (!field || !members) return undefined;
  const env = members.get('env');
  const value = members.get('value');
  if ((env === undefined) === (value === undefined)) return field.refuse('must have either env or value');
  const name = env?.matching(VARIABLE_NAME, 'the name of an environment variable');
  const text = name === undefined ? value?.text() : variable(name);
  // Secrets mounted from files often end in a line break, which no header could carry.
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? undefined : new Secret(trimmed);
}

/** What is not said counts as the worst: data are collected and kept. */
function readPolicy(field: Field | undefined): DataPolicy {
  const members = field?.members([], ['collects_data', 'zero_data_retention', 'region']);
  const region = members?.get('region')?.slug();
  return {
    collectsData: members?.get('collects_data')?.flag() ?? true,
    zeroDataRetention: members?.get('zero_data_retention')?.flag() ?? false,
    ...(region !== undefined && { region }),
  };
}

/** What is not said of it is as it is where nothing is said at all. */
function readAborts(field: Field | undefined): AbortRules | undefined {
  const members = field?.members([], ['stream', 'whole']);
  return (
    members && {
      stream: members.get('stream')?.oneOf(ABORT_RULES) ?? DEFAULT_ABORTS.stream,
      whole: members.get('whole')?.oneOf(ABORT_RULES) ?? DEFAULT_ABORTS.whole,
    }
  );
}
