import type { PolicyColumns } from '../accounts/policy-columns.js';
import { assertKnownProviders } from '../catalog/assert-known-providers.js';
import type { PluginEntry } from '../core/conversation/request.js';
import type { CatalogSnapshot } from '../core/routing/catalog.js';
import { pluginDefaults } from '../plugins/plugin-defaults.js';
import { Closed } from '../shared/http/closed.decorator.js';
import { STORABLE } from '../shared/http/field-patterns.js';
import { yesOrNo } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import { compile, list, oneOf, text, type Of } from '../shared/http/schema.js';

// Chosen: several times the number of existing providers, each with a variant.
const SLUGS_MAX = 500;
const SLUG_CHARACTERS_MAX = 200;

const slugs = compile(list(text({ max: SLUG_CHARACTERS_MAX, ...STORABLE }), { min: 1, max: SLUGS_MAX }));
const dataCollection = compile(oneOf(['allow', 'deny']));

const SLUG_LISTS = ['allowed_providers', 'ignored_providers'] as const;

/** The fields for routing and plugins in bodies of workspaces and of the account: absent ones stay, null clears. */
@Closed()
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

  @MayOmit()
  @MayBeNull()
  @Fits(pluginDefaults)
  plugins?: readonly PluginEntry[] | null;
}

/**
 * The changes of a valid body.
 * @throws GatewayError `invalid-request` for an unknown provider
 */
export function readPolicy(body: PolicyDto, catalog: CatalogSnapshot): Partial<PolicyColumns> {
  for (const name of SLUG_LISTS) assertKnownProviders(name, body[name], catalog);
  return {
    ...(body.allowed_providers !== undefined && { allowedProviders: body.allowed_providers }),
    ...(body.ignored_providers !== undefined && { ignoredProviders: body.ignored_providers }),
    ...(body.data_collection !== undefined && { denyDataCollection: body.data_collection === 'deny' }),
    ...(body.enforce_zdr !== undefined && { enforceZdr: body.enforce_zdr }),
    ...(body.plugins !== undefined && { plugins: body.plugins ?? [] }),
  };
}
