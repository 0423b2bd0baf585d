import { parseUrl } from '../core/parse-url.js';
import { ABORT_RULES, DEFAULT_ABORTS, type AbortRules } from '../core/routing/abort-rules.js';
import {
  DIALECT_IDS,
  PLACEHOLDERS,
  PLATFORM_IDS,
  SERVED_DIALECTS,
  SIMULATED_SCHEME,
  type CatalogProvider,
  type DataPolicy,
  type DialectId,
  type PlatformId,
} from '../core/routing/catalog.js';
import { readCredential, type CredentialSources, type SourcedSecret } from './read-credential.js';
import type { Field } from './field.js';
import { readQuirks } from './read-quirks.js';

/** Versions of Azure's API are dates (learn.microsoft.com, Azure OpenAI API version lifecycle). */
const API_VERSION = /^(?:\d{4}-\d{2}-\d{2}(?:-preview)?|preview|latest|v1)$/;

/** Reads one entry of `providers`. Undefined: at least one fault was recorded. */
export function readProvider(field: Field, sources: CredentialSources): CatalogProvider | undefined {
  const members = field.members(
    ['slug', 'name', 'dialect'],
    ['base_url', 'platform', 'api_version', 'credential', 'policy', 'aborts', 'quirks', 'passes_unknown_fields'],
  );
  const slug = members?.get('slug')?.slug();
  const name = members?.get('name')?.text();
  const dialectField = members?.get('dialect');
  const dialect = dialectField?.oneOf(DIALECT_IDS);
  const baseUrl = members?.get('base_url');
  const address = baseUrl && readBaseUrl(baseUrl);
  const platform = members?.get('platform')?.oneOf(PLATFORM_IDS);
  const apiVersionField = members?.get('api_version');
  const apiVersion = apiVersionField?.matching(API_VERSION, 'a version such as "2024-10-21"');
  const unfilled = address && findUnfilled(address, platform);
  if (unfilled !== undefined) baseUrl?.refuse(`holds ${unfilled}, which nothing fills`);
  const credential = readCredential(members?.get('credential'), sources);
  const policy = readPolicy(members?.get('policy'));
  const aborts = readAborts(members?.get('aborts'));
  const quirksField = members?.get('quirks');
  const quirks = quirksField && readQuirks(quirksField);
  const passesUnknownFields = members?.get('passes_unknown_fields')?.flag() ?? false;
  if (slug === undefined || name === undefined || dialect === undefined) return undefined;
  // The simulated dialect makes no calls, so it has a fixed address of its own.
  const isSimulated = dialect === 'simulated';
  if (isSimulated && baseUrl) return baseUrl.refuse('is not for the simulated dialect, which makes no calls');
  if (!isSimulated && !baseUrl) return field.refuse('needs a base_url');
  if (!isServed(dialect, platform))
    return dialectField?.refuse(
      platform
        ? `has no address on the platform ${platform}; it has: ${SERVED_DIALECTS[platform].join(', ')}`
        : `needs ${platformsOf(dialect)}: its calls need that platform`,
    );
  if (apiVersionField && platform !== 'azure') return apiVersionField.refuse('is for the platform azure');
  return {
    slug,
    name,
    dialect,
    ...(platform && { platform }),
    baseUrl: address ?? SIMULATED_SCHEME + slug,
    ...(apiVersion !== undefined && { apiVersion }),
    ...(credential === 'none' ? { needsNoCredential: true as const } : credential && credentialOf(credential)),
    policy,
    ...(aborts && { aborts }),
    ...(quirks && { quirks }),
    ...(passesUnknownFields && { passesUnknownFields }),
  };
}

/** Whether calls of a dialect can be made on the platform; otherwise each of them would fail. */
export const isServed = (dialect: DialectId, platform: PlatformId = 'direct'): boolean =>
  SERVED_DIALECTS[platform].includes(dialect);

/** The entries a provider needs where a dialect is not available directly, as in "`platform: bedrock`". */
export const platformsOf = (dialect: DialectId): string =>
  PLATFORM_IDS.filter((platform) => isServed(dialect, platform))
    .map((platform) => `\`platform: ${platform}\``)
    .join(' or ');

const credentialOf = ({ secret, source }: SourcedSecret): Pick<CatalogProvider, 'credential' | 'credentialSource'> => ({
  ...(secret && { credential: secret }),
  credentialSource: source,
});

/**
 * An address that paths can be appended to: no trailing slash, no query, and no credentials, which would appear in
 * logs.
 */
export function readBaseUrl(field: Field): string | undefined {
  const text = field.text();
  if (text === undefined) return undefined;
  const url = parseUrl(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return field.refuse('must be an http or https URL');
  if (url.username !== '' || url.password !== '') return field.refuse('must not contain credentials; use `credential`');
  if (text.includes('?') || text.includes('#')) return field.refuse('must not contain a query or a fragment');
  // URLs encode braces in a path.
  return url.href.replace(/%7B([a-z]+)%7D/gi, '{$1}').replace(/\/+$/, '');
}

/** A placeholder that the platform does not fill in. */
function findUnfilled(address: string, platform: PlatformId = 'direct'): string | undefined {
  const placeholders = [...address.matchAll(/\{([a-z]+)\}/gi)];
  return placeholders.find(([, name = '']) => !PLACEHOLDERS[platform].includes(name))?.[0];
}

/** Absent fields count as the worst case: data are collected and kept. */
function readPolicy(field: Field | undefined): DataPolicy {
  const members = field?.members([], ['collects_data', 'trains', 'retention_days', 'zero_data_retention', 'region']);
  const region = members?.get('region')?.slug();
  const trains = members?.get('trains')?.flag();
  const retentionDays = members?.get('retention_days')?.wholeNumber();
  return {
    collectsData: members?.get('collects_data')?.flag() ?? true,
    ...(trains !== undefined && { trains }),
    ...(retentionDays !== undefined && { retentionDays }),
    zeroDataRetention: members?.get('zero_data_retention')?.flag() ?? false,
    ...(region !== undefined && { region }),
  };
}

/** Absent fields have their defaults. */
function readAborts(field: Field | undefined): AbortRules | undefined {
  const members = field?.members([], ['stream', 'whole']);
  return (
    members && {
      stream: members.get('stream')?.oneOf(ABORT_RULES) ?? DEFAULT_ABORTS.stream,
      whole: members.get('whole')?.oneOf(ABORT_RULES) ?? DEFAULT_ABORTS.whole,
    }
  );
}
