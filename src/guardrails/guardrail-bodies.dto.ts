import type { ExactNumber } from '../core/json/json.js';
import type { LimitReset } from '../keys/api-key.entity.js';
import { Closed } from '../shared/http/closed.decorator.js';
import { resetInterval, workspaceReference, yesOrNo } from '../shared/http/shared-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import type { Of } from '../shared/http/schema.js';
import { readUsdNumber } from '../shared/http/usd-amount.js';
import { IsUsd } from '../shared/http/usd-validators.js';
import {
  contentFilterBuiltins,
  contentFilters,
  description,
  entries,
  fixed,
  keyHashes,
  name,
  noRegions,
  triedText,
  userIds,
} from './guardrail-fields.js';
import type { GuardrailTerms } from './guardrail.entity.js';

/**
 * The common fields of guardrail bodies (docs/operate/guardrails.md#fields): absent ones stay as they are, null clears.
 */
@Closed()
abstract class GuardrailTermsDto {
  @MayOmit()
  @MayBeNull()
  @Fits(description)
  description?: string | null;

  @MayOmit()
  @MayBeNull()
  @IsUsd()
  limit_usd?: number | ExactNumber | null;

  @MayOmit()
  @MayBeNull()
  @Fits(resetInterval)
  reset_interval?: LimitReset | null;

  @MayOmit()
  @Fits(yesOrNo)
  include_byok_in_budgets?: boolean;

  @MayOmit()
  @MayBeNull()
  @Fits(entries)
  allowed_models?: string[] | null;

  @MayOmit()
  @MayBeNull()
  @Fits(entries)
  ignored_models?: string[] | null;

  @MayOmit()
  @MayBeNull()
  @Fits(entries)
  allowed_providers?: string[] | null;

  @MayOmit()
  @MayBeNull()
  @Fits(entries)
  ignored_providers?: string[] | null;

  @MayOmit()
  @MayBeNull()
  @Fits(noRegions)
  allowed_data_regions?: null;

  @MayOmit()
  @MayBeNull()
  @Fits(yesOrNo)
  enforce_zdr?: boolean | null;

  @MayOmit()
  @MayBeNull()
  @Fits(yesOrNo)
  enforce_zdr_anthropic?: boolean | null;

  @MayOmit()
  @MayBeNull()
  @Fits(yesOrNo)
  enforce_zdr_openai?: boolean | null;

  @MayOmit()
  @MayBeNull()
  @Fits(yesOrNo)
  enforce_zdr_google?: boolean | null;

  @MayOmit()
  @MayBeNull()
  @Fits(yesOrNo)
  enforce_zdr_xai?: boolean | null;

  @MayOmit()
  @MayBeNull()
  @Fits(yesOrNo)
  enforce_zdr_other?: boolean | null;

  @MayOmit()
  @MayBeNull()
  @Fits(contentFilters)
  content_filters?: Of<typeof contentFilters> | null;

  @MayOmit()
  @MayBeNull()
  @Fits(contentFilterBuiltins)
  content_filter_builtins?: Of<typeof contentFilterBuiltins> | null;

  @MayOmit()
  @MayBeNull()
  @Fits(yesOrNo)
  enable_free_model_publication?: boolean | null;

  @MayOmit()
  @MayBeNull()
  @Fits(yesOrNo)
  enable_free_model_training?: boolean | null;

  @MayOmit()
  @MayBeNull()
  @Fits(yesOrNo)
  enable_paid_model_training?: boolean | null;
}

/** Body of `POST /guardrails`. */
export class CreateGuardrailDto extends GuardrailTermsDto {
  @Fits(name)
  name!: string;

  @MayOmit()
  @Fits(workspaceReference)
  workspace_id?: string;
}

/** Body of `PATCH /guardrails/{id}`. */
export class UpdateGuardrailDto extends GuardrailTermsDto {
  @MayOmit()
  @Fits(name)
  name?: string;

  @MayOmit()
  @Fits(fixed)
  workspace_id?: never;
}

/** Body of `POST /guardrails/{id}/assignments/keys` and `…/keys/remove`. */
@Closed()
export class KeyHashesDto {
  @Fits(keyHashes)
  key_hashes!: string[];
}

/** Body of `POST /guardrails/{id}/assignments/members` and `…/members/remove`. */
@Closed()
export class MemberUserIdsDto {
  @Fits(userIds)
  member_user_ids!: string[];
}

/** Body of `POST /guardrails/{id}/test`. */
@Closed()
export class TryTextDto {
  @Fits(triedText)
  text!: string;

  /** Content filters that replace the stored ones for this test. */
  @MayOmit()
  @MayBeNull()
  @Fits(contentFilters)
  content_filters?: Of<typeof contentFilters> | null;

  /** Built-in filters that replace the stored ones for this test. */
  @MayOmit()
  @MayBeNull()
  @Fits(contentFilterBuiltins)
  content_filter_builtins?: Of<typeof contentFilterBuiltins> | null;
}

/** The terms that a valid body sets. */
export function readTerms(body: CreateGuardrailDto | UpdateGuardrailDto): Partial<GuardrailTerms> {
  const terms: { [Key in keyof GuardrailTerms]: GuardrailTerms[Key] | undefined } = {
    name: body.name,
    description: body.description,
    limitUsd: body.limit_usd === null ? null : readUsdNumber(body.limit_usd),
    resetInterval: body.reset_interval,
    includeByokInBudgets: body.include_byok_in_budgets,
    allowedModels: body.allowed_models,
    ignoredModels: body.ignored_models,
    allowedProviders: body.allowed_providers,
    ignoredProviders: body.ignored_providers,
    enforceZdr: body.enforce_zdr,
    enforceZdrAnthropic: body.enforce_zdr_anthropic,
    enforceZdrOpenai: body.enforce_zdr_openai,
    enforceZdrGoogle: body.enforce_zdr_google,
    enforceZdrXai: body.enforce_zdr_xai,
    enforceZdrOther: body.enforce_zdr_other,
    ...readFilterTerms(body),
    enableFreeModelPublication: body.enable_free_model_publication,
    enableFreeModelTraining: body.enable_free_model_training,
    enablePaidModelTraining: body.enable_paid_model_training,
  };
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined));
}

/** Content filters; undefined: none are given. */
export type FilterTerms = {
  readonly [Key in 'contentFilters' | 'contentFilterBuiltins']: GuardrailTerms[Key] | undefined;
};

/** The content filters that a valid body sets. */
export const readFilterTerms = ({
  content_filters: custom,
  content_filter_builtins: builtins,
}: Pick<GuardrailTermsDto, 'content_filters' | 'content_filter_builtins'>): FilterTerms => ({
  contentFilters: custom && custom.map(({ pattern, action, label }) => ({ pattern, action, label: label ?? null })),
  contentFilterBuiltins:
    builtins && builtins.map(({ slug, action, scan_scope }) => ({ slug, action, ...(scan_scope && { scan_scope }) })),
});
