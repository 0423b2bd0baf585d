import type { CatalogProvider } from '../../core/routing/catalog.js';
import { definitionOf } from '../../providers/catalog/index.js';
import type { Note } from '../remark.js';
import { hostLabel, slugText } from './addresses.js';
import type { Upstream } from './find-upstream.js';
import { viewQuirks, viewTerms } from './view-provider.js';

/** A provider entry of a catalog file. */
export interface ProviderEntry {
  readonly slug: string;
  readonly [key: string]: unknown;
}

/** The provider of each upstream, and the entries that the file needs beside the shipped ones. */
export interface AssignedProviders {
  /** Slugs in the order of the upstreams. */
  readonly slugs: readonly string[];
  readonly entries: readonly ProviderEntry[];
}

/**
 * Assigns one provider to each address and key. The shipped slug goes to one upstream that calls the shipped provider
 * at its address: preferably to one whose key is in the variable of the shipped entry, which needs no entry; otherwise
 * an entry with the other variable replaces the shipped one. Every other upstream gets a separate slug.
 * @param taken slugs of the shipped catalog
 */
export function assignProviders(
  upstreams: readonly Upstream[],
  taken: Iterable<string>,
  note: Note,
): AssignedProviders {
  const slugs = new Set(taken);
  const shippedUses = new Set<string>();
  const assigned = new Map<string, { slug: string; entry?: ProviderEntry }>();
  for (const upstream of [...upstreams].sort((one, other) => Number(isAsShipped(other)) - Number(isAsShipped(one)))) {
    const identity = identityOf(upstream);
    if (assigned.has(identity)) continue;
    const isFirst = isAtShipped(upstream) && !shippedUses.has(upstream.family);
    const slug = isFirst ? upstream.family : freeSlug(upstream, slugs);
    slugs.add(slug);
    if (isFirst) shippedUses.add(slug);
    const credential = credentialOf(upstream, slug, isFirst);
    noteVariable(upstream, slug, credential, note);
    const isShipped = isFirst && credential !== 'none' && credential.env === shippedVariable(upstream.like);
    assigned.set(identity, { slug, ...(!isShipped && { entry: entryOf(upstream, slug, credential) }) });
  }
  return {
    slugs: upstreams.map((upstream) => assigned.get(identityOf(upstream))!.slug),
    entries: [...assigned.values()].flatMap(({ entry }) => entry ?? []),
  };
}

type Credential = 'none' | { readonly env: string };

const shippedVariable = (like: CatalogProvider | undefined): string | undefined =>
  typeof like?.credentialSource === 'object' && 'env' in like.credentialSource ? like.credentialSource.env : undefined;

/** Whether it calls the shipped provider at the shipped address. */
const isAtShipped = ({ like, baseUrl, apiVersion }: Upstream): boolean =>
  like !== undefined && baseUrl === undefined && apiVersion === undefined;

/** Whether it needs no entry beside the shipped one. */
const isAsShipped = (upstream: Upstream): boolean =>
  isAtShipped(upstream) && variableOfKey(upstream) === shippedVariable(upstream.like);

/** The variable that already holds its key. */
function variableOfKey({ key, like, usualVariable, baseUrl }: Upstream): string | undefined {
  if (key.kind === 'variable') return key.name;
  // A vendor's own key must not be sent to another host by default; a resource at a platform belongs to the vendor.
  if (key.kind === 'unset' || (baseUrl !== undefined && like?.platform === undefined)) return undefined;
  return usualVariable ?? shippedVariable(like);
}

function identityOf(upstream: Upstream): string {
  const { like, family, baseUrl, apiVersion, key } = upstream;
  const variable = variableOfKey(upstream);
  return JSON.stringify([
    like?.slug ?? family,
    baseUrl,
    apiVersion,
    variable ?? (key.kind === 'unset' ? [key.identity] : key.kind),
  ]);
}

function credentialOf(upstream: Upstream, slug: string, isFirst: boolean): Credential {
  const { key, like } = upstream;
  const variable = variableOfKey(upstream);
  if (variable !== undefined) return { env: variable };
  if (key.kind === 'unset' && isFirst && like?.platform === undefined) return { env: shippedVariable(like)! };
  if (key.kind === 'none' || (key.kind === 'usual' && !like)) return 'none';
  return {
    env: `${slug.toUpperCase().replaceAll('-', '_')}_${like?.platform === undefined ? 'API_KEY' : 'CREDENTIAL'}`,
  };
}

function noteVariable({ key, like }: Upstream, slug: string, credential: Credential, note: Note): void {
  if (credential === 'none') {
    note('assumed', slug, 'needs no key (`credential: none`)');
    return;
  }
  const form =
    key.kind === 'unset' ? key.form : like?.platform === 'vertex' ? "the service account's key, as JSON" : 'the key';
  note('variables', credential.env, `${form}, for the provider ${slug}`);
}

function freeSlug({ family, baseUrl, isUsualAddress, label }: Upstream, taken: ReadonlySet<string>): string {
  if (isUsualAddress && !taken.has(family)) return family;
  const base = slugText(baseUrl === undefined ? family : `${family}-${label ?? hostLabel(baseUrl)}`);
  for (let number = 2, slug = base; ; number++) {
    if (!taken.has(slug)) return slug;
    slug = `${base}-${number}`;
  }
}

function entryOf({ like, family, baseUrl, apiVersion }: Upstream, slug: string, credential: Credential): ProviderEntry {
  const isOwn = like === undefined || slug !== like.slug;
  const quirks = like && isOwn ? viewQuirks({ ...definitionOf(like.slug, 'none').quirks, ...like.quirks }) : {};
  return {
    slug,
    name:
      isOwn && slug !== family ? `${like?.name ?? family} (${slug.slice(family.length + 1)})` : (like?.name ?? family),
    dialect: like?.dialect ?? 'openai-chat',
    ...(like?.platform && { platform: like.platform }),
    ...(apiVersion !== undefined && { api_version: apiVersion }),
    base_url: baseUrl ?? like!.baseUrl,
    credential,
    ...(Object.keys(quirks).length > 0 && { quirks }),
    // A vendor's terms apply only where the vendor itself is called.
    ...(like && baseUrl === undefined && viewTerms(like)),
  };
}
