import { nearestNames } from '../core/nearest-names.js';
import type { CatalogProvider, CatalogSnapshot } from '../core/routing/catalog.js';
import { databaseAddress } from '../shared/database/database-address.js';
import type { Environment } from '../shared/environment.js';
import { PACKAGE_VERSION } from '../shared/package-version.js';

/** Limit of names in a row; beyond it their number is given. */
const NAMES_MAX = 12;
/** A variable's name without the words for a credential: `OPENAI_APIKEY` gives `openai`. */
const CREDENTIAL = /^(.*?)(?:_?api)?_?(?:key|token)$/i;

/** The facts of a start. */
export interface StartedWith {
  readonly environment: Environment;
  readonly catalog: CatalogSnapshot;
  /** Whether the operator can call it. */
  readonly isReachable: (provider: CatalogProvider) => boolean;
}

/** The facts that operators need first, in one line. It names servers and variables, and no secret. */
export function startSummary({ environment, catalog, isReachable }: StartedWith): string {
  const { databaseUrl, redisUrl, workers, dataDir, catalogPath } = environment;
  const models = [...catalog.models.values()];
  const endpoints = models.reduce((sum, model) => sum + model.endpoints.length, 0);
  const providers = [...catalog.providers.values()];
  const slugsOf = (some: readonly CatalogProvider[]): string[] => some.map(({ slug }) => slug);
  const ready = slugsOf(providers.filter(isReachable));
  const missing = slugsOf(providers.filter((provider) => !isReachable(provider)));
  return [
    `Fairlead ${PACKAGE_VERSION}`,
    databaseUrl ? `PostgreSQL at ${databaseAddress(databaseUrl.reveal())}` : 'embedded database',
    redisUrl ? `Redis at ${new URL(redisUrl.reveal()).host}` : 'no Redis',
    `catalog ${catalogPath} with ${models.length} models at ${endpoints} endpoints of ${providers.length} providers`,
    `${ready.length} of them can be called (${list(ready)}), ${missing.length} have no credential (${list(missing)})`,
    `${workers} ${workers === 1 ? 'process' : 'processes'}`,
    `data in ${dataDir}`,
  ].join('; ');
}

const list = (names: readonly string[]): string =>
  names.length === 0
    ? 'none'
    : names.length > NAMES_MAX
      ? `${names.slice(0, NAMES_MAX).join(', ')}, …`
      : names.join(', ');

interface MissingCredential {
  readonly slug: string;
  /** The variable that it is read from. */
  readonly env: string;
}

/**
 * Finds set variables that are probably meant for the credential of a provider, but are not the one it is read from.
 * @returns a warning for each
 */
export function warnOfMissedCredentials(catalog: CatalogSnapshot, variables: NodeJS.ProcessEnv): string[] {
  const missing = new Map<string, MissingCredential>();
  const read = new Set<string>();
  for (const { slug, credential, credentialSource: source } of catalog.providers.values()) {
    if (typeof source !== 'object' || !('env' in source)) continue;
    read.add(source.env);
    const owner = ownerIn(source.env);
    if (!credential && owner !== undefined) missing.set(owner, { slug, env: source.env });
  }
  return Object.keys(variables).flatMap((name) => {
    const meant = read.has(name) ? undefined : (missing.get(ownerIn(name) ?? '') ?? nearest(missing, name));
    return meant ? [`${name} has no effect: the credential of ${meant.slug} is read from ${meant.env}`] : [];
  });
}

/** Shorter names are similar to too many others. */
const COMPARED_FROM = 12;
const VENDOR_COMPARED_FROM = 6;

/** The credential whose variable the name equals except for a typing error. */
function nearest(missing: ReadonlyMap<string, MissingCredential>, name: string): MissingCredential | undefined {
  const all = [...missing.values()].filter(({ env }) => env.length >= COMPARED_FROM);
  const names = all.map(({ env }) => env);
  const [meant] = nearestNames(name, names, 1, 1);
  return meant === undefined || !isSameVendor(name, meant) ? undefined : all.find(({ env }) => env === meant);
}

/**
 * Another letter in a short name may name another vendor, as Grok and Groq: no key must be sent to the wrong vendor.
 */
function isSameVendor(name: string, meant: string): boolean {
  const [vendor = '', own = ''] = [name, meant].map((variable) => variable.toLowerCase().split('_')[0]!);
  return vendor === own || own.length >= VENDOR_COMPARED_FROM || sorted(vendor) === sorted(own);
}

const sorted = (word: string): string => [...word].sort().join('');

/** The vendor whose credential a variable of this name holds. */
const ownerIn = (name: string): string | undefined => CREDENTIAL.exec(name)?.[1]?.replaceAll('_', '').toLowerCase();
