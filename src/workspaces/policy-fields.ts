import type { PolicyColumns } from '../accounts/policy-columns.js';
import { GatewayError } from '../core/errors.js';
import type { CatalogSnapshot } from '../core/routing/catalog.js';
import { isKnownProvider, readSlug } from '../core/routing/slug.js';
import { STORABLE } from '../shared/http/field-patterns.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import {
  compile,
  flag,
  list,
  nullable,
  object,
  oneOf,
  rows,
  shortened,
  text,
  type Of,
  type Static,
} from '../shared/http/schema.js';

// Not in scope; chosen: several times the providers there are, each with a variant.
const SLUGS_MAX = 500;
const SLUG_CHARACTERS_MAX = 200;

const slugs = compile(list(text({ max: SLUG_CHARACTERS_MAX, ...STORABLE }), { min: 1, max: SLUGS_MAX }));
const dataCollection = compile(oneOf(['allow', 'deny']));
/** A switch. */
export const yesOrNo = compile(flag());

const SLUG_LISTS = ['allowed_providers', 'ignored_providers'] as const;

/** What bodies of workspaces and of the account say of routing: what is left out stays as it is, null clears. */
export abstract class PolicyDto {
  @MayOmit()
  @MayBeNull()
  @Fits(slugs)
  allowed_providers?: string[] | null;

  @MayOmit()
  @MayBeNull()
  @Fits(slugs)
  ignored_providers?: string[] | null;

  @MayOmit()
  @Fits(dataCollection)
  data_collection?: Of<typeof dataCollection>;

  @MayOmit()
  @Fits(yesOrNo)
  enforce_zdr?: boolean;
}

/** As the API shows it. */
export const policyFields = object({
  allowed_providers: nullable(rows(text())),
  ignored_providers: nullable(rows(text())),
  data_collection: oneOf(['allow', 'deny']),
  enforce_zdr: flag(),
});
export type PolicyView = Static<typeof policyFields>;

/**
 * What a valid body changes.
 * @throws GatewayError `invalid-request` for a provider that neither a published list nor the catalog has: misspelt, it would forbid all
 * others or still be used
 */
export function readPolicy(body: PolicyDto, catalog: CatalogSnapshot): Partial<PolicyColumns> {
  for (const name of SLUG_LISTS) assertKnown(name, body[name] ?? [], catalog);
  return {
    ...(body.allowed_providers !== undefined && { allowedProviders: body.allowed_providers }),
    ...(body.ignored_providers !== undefined && { ignoredProviders: body.ignored_providers }),
    ...(body.data_collection !== undefined && { denyDataCollection: body.data_collection === 'deny' }),
    ...(body.enforce_zdr !== undefined && { enforceZdr: body.enforce_zdr }),
  };
}

function assertKnown(name: (typeof SLUG_LISTS)[number], entries: readonly string[], catalog: CatalogSnapshot): void {
  entries.forEach((entry, index) => {
    if (isKnownProvider(readSlug(entry), catalog.providers.values())) return;
    throw new GatewayError(
      'invalid-request',
      `${name}.${index}: ${JSON.stringify(shortened(entry))} is no known provider; name one by its slug, such as "openai" or "groq"`,
    );
  });
}

export const viewPolicy = (policy: PolicyColumns): PolicyView => ({
  allowed_providers: policy.allowedProviders,
  ignored_providers: policy.ignoredProviders,
  data_collection: policy.denyDataCollection ? 'deny' : 'allow',
  enforce_zdr: policy.enforceZdr,
});
