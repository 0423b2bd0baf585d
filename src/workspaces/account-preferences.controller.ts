import { Body, Controller, Get, Patch } from '@nestjs/common';
import { policyFields, viewPolicy, type PolicyView } from '../accounts/policy-view.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { Caller } from '../core/caller.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { Fits } from '../shared/http/fits.decorator.js';
import { MayOmit } from '../shared/http/may-omit.decorator.js';
import { one } from '../shared/http/replies.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { titled } from '../shared/http/schema.js';
import { noEgress } from '../shared/http/unsupported-fields.js';
import { AccountPreferences } from './account-preferences.js';
import { PolicyDto, readPolicy } from './policy-fields.js';

/** Body of `PATCH /account/preferences`. */
export class AccountPreferencesDto extends PolicyDto {
  @MayOmit()
  @Fits(noEgress)
  egress?: unknown;
}

const preferencesView = titled('account-preferences', policyFields);

/** What the account allows of routing, whatever its workspaces do. */
@Controller('account/preferences')
@Accepts('management')
export class AccountPreferencesController {
  constructor(
    private readonly preferences: AccountPreferences,
    private readonly catalog: CatalogStore,
  ) {}

  @Get()
  @Answers(one(preferencesView), { summary: 'Show what the account allows of routing' })
  async show(@FromCaller() { accountId }: Caller): Promise<{ data: PolicyView }> {
    return { data: viewPolicy(await this.preferences.get(accountId)) };
  }

  @Patch()
  @Answers(one(preferencesView), {
    summary: 'Change what the account allows of routing',
    description: 'It applies to every workspace. What is left out stays as it is, null clears.',
    examples: { careful: { data_collection: 'deny', ignored_providers: ['groq'] } },
  })
  async update(@FromCaller() caller: Caller, @Body() body: AccountPreferencesDto): Promise<{ data: PolicyView }> {
    const changes = readPolicy(body, this.catalog.current());
    return { data: viewPolicy(await this.preferences.change(caller, changes)) };
  }
}
