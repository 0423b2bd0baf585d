import { Body, Controller, Delete, Get, Header, Param, Patch, Post, Query } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { SpendingWindows, UNSPENT } from '../ledger/spending-windows.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { CreateKeyDto, readKeyDescription } from './create-key.dto.js';
import { KeyRing } from './key-ring.js';
import { viewKey, type KeyView } from './key-view.js';
import { ListKeysDto, readKeyListing } from './list-keys.dto.js';
import { readKeyChanges, UpdateKeyDto } from './update-key.dto.js';

/** Administration of keys (WIRE 1.27). A key's id is its hash. */
@Controller('keys')
@Accepts('management')
export class KeysController {
  constructor(
    private readonly keys: KeyRing,
    private readonly windows: SpendingWindows,
  ) {}

  /** The only reply that ever holds a key. */
  @Post()
  @Header('Cache-Control', 'no-store')
  async create(@FromCaller() caller: Caller, @Body() body: CreateKeyDto): Promise<{ data: KeyView; key: string }> {
    const { key, row } = await this.keys.issue(caller, readKeyDescription(body), body.workspace_id);
    return { data: viewKey(row, UNSPENT), key };
  }

  @Get()
  async list(@FromCaller() caller: Caller, @Query() query: ListKeysDto): Promise<{ data: KeyView[] }> {
    const rows = await this.keys.list(caller.accountId, readKeyListing(query));
    const spending = await this.windows.ofKeys(
      caller.accountId,
      rows.map(({ hash }) => hash),
    );
    return { data: rows.map((row) => viewKey(row, spending.get(row.hash) ?? UNSPENT)) };
  }

  @Get(':hash')
  async show(@FromCaller() caller: Caller, @Param('hash') hash: string): Promise<{ data: KeyView }> {
    return { data: await this.view(await this.keys.get(caller.accountId, hash)) };
  }

  @Patch(':hash')
  async update(
    @FromCaller() caller: Caller,
    @Param('hash') hash: string,
    @Body() body: UpdateKeyDto,
  ): Promise<{ data: KeyView }> {
    return { data: await this.view(await this.keys.change(caller, hash, readKeyChanges(body))) };
  }

  @Delete(':hash')
  async remove(@FromCaller() caller: Caller, @Param('hash') hash: string): Promise<{ deleted: true }> {
    await this.keys.revoke(caller, hash);
    return { deleted: true };
  }

  private async view(row: ApiKeyEntity): Promise<KeyView> {
    return viewKey(row, await this.windows.ofKey(row.accountId, row.hash));
  }
}
