import { Controller, Get, Patch } from '@nestjs/common';
import { policyFields } from '../accounts/policy-view.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { Caller } from '../core/caller.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { egressBody, egressView, readEgress } from '../accounts/egress-fields.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayBeNull, MayOmit } from '../shared/http/may-omit.decorator.js';
import { single } from '../shared/http/reply-schemas.js';
import { FromBody } from '../shared/http/parameter-types.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { object, titled, type Of, type Static } from '../shared/http/schema.js';
import { AccountPreferences, viewPreferences } from './account-preferences.js';
import { PolicyDto, readPolicy } from './policy-fields.js';

/** Body of `PATCH /account/preferences`. */
export class AccountPreferencesDto extends PolicyDto {
  @MayOmit()
  @MayBeNull()
  @Fits(egressBody)
  egress?: Of<typeof egressBody> | null;
}

const preferencesView = titled('account-preferences', object({ ...policyFields.properties, egress: egressView }));
type PreferencesView = Static<typeof preferencesView>;

/** The routing policy of the account, which limits its workspaces and keys, and its defaults of plugins. */
@Controller('account/preferences')
@Accepts('management')
export class AccountPreferencesController {
  constructor(
    private readonly preferences: AccountPreferences,
    private readonly catalog: CatalogStore,
  ) {}

  @Get()
  @Answers(single(preferencesView), { summary: 'Show what the account allows' })
  async show(@FromCaller() { accountId }: Caller): Promise<{ data: PreferencesView }> {
    return { data: viewPreferences(await this.preferences.get(accountId)) };
  }

  @Patch()
  @Answers(single(preferencesView), {
    summary: 'Change what the account allows',
    description: 'It applies to every workspace. Absent fields stay as they are; null clears a field.',
    examples: {
      careful: { data_collection: 'deny', ignored_providers: ['groq'] },
      bound: { egress: { blocked_domains: ['paste.example.com'] } },
      plugins: { plugins: [{ id: 'response-healing' }, { id: 'web', enabled: false, prevent_overrides: true }] },
    },
  })
  async update(
    @FromCaller() caller: Caller,
    @FromBody() body: AccountPreferencesDto,
  ): Promise<{ data: PreferencesView }> {
    const egress = readEgress(body.egress);
    const changes = { ...readPolicy(body, this.catalog.current), ...(egress !== undefined && { egress }) };
    return { data: viewPreferences(await this.preferences.change(caller, changes)) };
  }
}
