import type { CatalogProvider } from './catalog.js';
import { SHARED_CREDENTIAL, type StoredCredential } from './credential.js';
import type { Exclusion } from './plan.js';

/**
 * Order of use (docs/operate/byok.md#order-of-use): the caller's own keys, then the operator's, then the caller's
 * fallback keys.
 */
export const CREDENTIAL_GROUPS = ['own', 'shared', 'fallback'] as const;

/** One credential that a candidate can be called with. */
export interface CredentialCopy {
  readonly id: string;
  /** The label of the `StoredCredential`; absent for the operator's. */
  readonly label?: string | undefined;
  /** Index in `CREDENTIAL_GROUPS`. */
  readonly group: number;
  /** Index within the group at one provider. */
  readonly index: number;
}

const OWN = CREDENTIAL_GROUPS.indexOf('own');
const FALLBACK = CREDENTIAL_GROUPS.indexOf('fallback');
const SHARED: CredentialCopy = { id: SHARED_CREDENTIAL, group: CREDENTIAL_GROUPS.indexOf('shared'), index: 0 };
/** The credentials of a caller without any of its own. */
export const ONLY_SHARED = [SHARED] as const;

const ORDERED = new WeakMap<readonly StoredCredential[], readonly StoredCredential[]>();

/** The order in which credentials are tried: by `sortOrder`, then by id, so that all replicas agree. */
export function inOrder(credentials: readonly StoredCredential[]): readonly StoredCredential[] {
  if (credentials.length < 2) return credentials;
  let ordered = ORDERED.get(credentials);
  if (!ordered) {
    ordered = credentials.toSorted((one, other) => one.sortOrder - other.sortOrder || (one.id < other.id ? -1 : 1));
    ORDERED.set(credentials, ordered);
  }
  return ordered;
}

/**
 * The credentials a provider can be called with for this model, in the order of the groups.
 * @param ordered all of the caller's, as returned by `inOrder`
 */
export function listCopies(
  provider: CatalogProvider,
  model: string,
  ordered: readonly StoredCredential[],
  offersShared: boolean,
): readonly CredentialCopy[] {
  const copies: CredentialCopy[] = [];
  let replaced = false;
  for (const credential of ordered) {
    if (credential.provider !== provider.slug || !isFor(credential, model)) continue;
    const { id, label, isFallback } = credential;
    copies.push({ id, label, group: isFallback ? FALLBACK : OWN, index: copies.length });
    replaced ||= credential.replacesShared === true;
  }
  if (copies.length === 0) return offersShared ? ONLY_SHARED : [];
  if (offersShared && !replaced) copies.push(SHARED);
  return copies.sort((one, other) => one.group - other.group || one.index - other.index);
}

/** Why `listCopies` is empty, and the variable for the operator's own credential, where the catalog names one. */
export function missingCredential(
  { slug, credentialSource }: CatalogProvider,
  credentials: readonly StoredCredential[],
): Pick<Exclusion, 'reason' | 'detail'> {
  if (credentials.some(({ provider }) => provider === slug)) return { reason: 'credential-not-for-model' };
  const isOfVariable = typeof credentialSource === 'object' && 'env' in credentialSource;
  return { reason: 'no-credential', ...(isOfVariable && { detail: `${credentialSource.env} is not set` }) };
}

const isFor = ({ allowedModels }: StoredCredential, model: string): boolean =>
  allowedModels === undefined || allowedModels.includes(model);
