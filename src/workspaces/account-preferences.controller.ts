import { Body, Controller, Get, Patch } from '@nestjs/common';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { Caller } from '../core/caller.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { AccountPreferences } from './account-preferences.js';
import { PolicyDto, readPolicy, viewPolicy, type PolicyView } from './policy-fields.js';

/** Body of `PATCH /account/preferences`. */
export class AccountPreferencesDto extends PolicyDto {}

/** What the account allows of routing, whatever its workspaces do. */
@Controller('account/preferences')
@Accepts('management')
export class AccountPreferencesController {
  constructor(
    private readonly preferences: AccountPreferences,
    private readonly catalog: CatalogStore,
  ) {}

  @Get()
  async show(@FromCaller() { accountId }: Caller): Promise<{ data: PolicyView }> {
    return { data: viewPolicy(await this.preferences.get(accountId)) };
  }

  @Patch()
  async update(@FromCaller() caller: Caller, @Body() body: AccountPreferencesDto): Promise<{ data: PolicyView }> {
    const changes = readPolicy(body, this.catalog.current());
    return { data: viewPolicy(await this.preferences.change(caller, changes)) };
  }
}
