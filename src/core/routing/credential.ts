/** The operator's own credential of a provider, from the catalog; every other id is a stored credential's. */
export const SHARED_CREDENTIAL = 'shared';

/**
 * A caller's own credential as the planner sees it: no secret. Those that are disabled, or not for this key or
 * user, are left out before.
 */
export interface StoredCredential {
  readonly id: string;
  /** What of it may be shown; absent: it is of a decision that was kept. */
  readonly label?: string;
  /** Slug. */
  readonly provider: string;
  /** Used only after the operator's own. */
  readonly isFallback: boolean;
  /** Among those of one provider, lower first. */
  readonly sortOrder: number;
  /** Ids of models it may be used for; absent: all. */
  readonly allowedModels?: readonly string[];
  /** Where it fits, the operator's own credential of the provider is not used (docs/byok.md#order-of-use). */
  readonly replacesShared?: boolean;
}
