/** The operator's own credential of a provider, from the catalog; every other id is a stored credential's. */
export const SHARED_CREDENTIAL = 'shared';

/**
 * A caller's own credential as the planner sees it, without its secret. Disabled credentials and those for other keys
 * or users are left out before.
 */
export interface StoredCredential {
  readonly id: string;
  /** The displayable part of the secret; absent in recorded decisions. */
  readonly label?: string;
  /** Slug. */
  readonly provider: string;
  /** Used only after the operator's own. */
  readonly isFallback: boolean;
  /** Position among the credentials of one provider, lower first. */
  readonly sortOrder: number;
  /** Ids of models it may be used for; absent: all. */
  readonly allowedModels?: readonly string[];
  /** Whether the credential replaces the operator's own one where it applies (docs/operate/byok.md#order-of-use). */
  readonly replacesShared?: boolean;
}
