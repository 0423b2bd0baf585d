import { Body, Controller, Delete, Get, Header, Param, Patch, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { Caller } from '../core/caller.js';
import { unmatchedModels } from '../core/routing/unmatched-models.js';
import { SpendingWindows, NO_SPENDING } from '../ledger/spending-windows.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { deleted, one, part } from '../shared/http/replies.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { object, text, described } from '../shared/http/schema.js';
import { addWarnings, WARNING_HEADER, WARNING_MEANING } from '../shared/http/warning-header.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { CreateKeyDto, readKeyDescription } from './create-key.dto.js';
import { KeysService } from './keys.service.js';
import { keyView, viewKey, type KeyView } from './key-view.js';
import { ListKeysDto } from './list-keys.dto.js';
import { RotateKeyDto } from './rotate-key.dto.js';
import { readKeyChanges, UpdateKeyDto } from './update-key.dto.js';

/** The only form that ever holds a key. */
const issued = object({ data: keyView, key: described('The key itself. It is never shown again.', text()) });

/** Administration of keys (docs/wire/keys.md#administration). A key's id is its hash. */
@Controller('keys')
@Accepts('management')
export class KeysController {
  constructor(
    private readonly keys: KeysService,
    private readonly windows: SpendingWindows,
    private readonly catalog: CatalogStore,
  ) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  @Answers(issued, {
    summary: 'Make a key',
    headers: { [WARNING_HEADER]: WARNING_MEANING },
    errors: ['not-found'],
    examples: {
      minimal: { name: 'My first key' },
      limited: {
        name: 'Ten dollars a month',
        limit: 10,
        limit_reset: 'monthly',
        include_byok_in_limit: true,
        expires_at: '2099-12-31T23:59:59Z',
        creator_user_id: 'user-1',
      },
      bound: {
        name: 'A small model, now and then, on our own pages',
        rate_limits: { requests_per_minute: 20, tokens_per_minute: 40_000 },
        allowed_models: ['sandbox/*'],
        egress: { allowed_domains: ['docs.example.com'] },
      },
      management: { name: 'For administration', kind: 'management' },
    },
  })
  async create(
    @FromCaller() caller: Caller,
    @Body() body: CreateKeyDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: KeyView; key: string }> {
    const { key, row } = await this.keys.issue(caller, readKeyDescription(body), body.workspace_id);
    addWarnings(response, unmatchedModels('allowed_models', body.allowed_models, this.catalog.current));
    return { data: viewKey(row, NO_SPENDING), key };
  }

  @Get()
  @Answers(part(keyView), { summary: 'List keys, newest first', errors: ['not-found'] })
  async list(
    @FromCaller() caller: Caller,
    @Query() query: ListKeysDto,
  ): Promise<{ data: KeyView[]; total_count: number }> {
    const { offset, limit, include_disabled: includeDisabled, workspace_id: workspace, name } = query;
    const [rows, total] = await this.keys.list(caller.accountId, { offset, limit, includeDisabled, workspace, name });
    const spending = await this.windows.ofKeys(
      caller.accountId,
      rows.map(({ hash }) => hash),
    );
    return { data: rows.map((row) => viewKey(row, spending.get(row.hash) ?? NO_SPENDING)), total_count: total };
  }

  @Get(':hash')
  @Answers(one(keyView), { summary: 'Show a key' })
  async show(@FromCaller() caller: Caller, @Param('hash') hash: string): Promise<{ data: KeyView }> {
    return { data: await this.view(await this.keys.get(caller.accountId, hash)) };
  }

  @Patch(':hash')
  @Answers(one(keyView), {
    summary: 'Change a key',
    headers: { [WARNING_HEADER]: WARNING_MEANING },
    description: 'What is left out stays as it is, null clears.',
    examples: { limit: { name: 'Renamed', limit: 25, limit_reset: null }, disable: { disabled: true } },
  })
  async update(
    @FromCaller() caller: Caller,
    @Param('hash') hash: string,
    @Body() body: UpdateKeyDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: KeyView }> {
    const row = await this.keys.change(caller, hash, readKeyChanges(body));
    addWarnings(response, unmatchedModels('allowed_models', body.allowed_models, this.catalog.current));
    return { data: await this.view(row) };
  }

  @Post(':hash/rotate')
  @Header('Cache-Control', 'no-store')
  @Answers(issued, {
    summary: 'Rotate a key',
    description:
      'It gets another secret; its limits and its history stay. Secrets before it go on for the time of grace, and end within seconds of it.',
    errors: ['invalid-request'],
    examples: { grace: { grace_seconds: 3600 }, atOnce: { grace_seconds: 0 } },
  })
  async rotate(
    @FromCaller() caller: Caller,
    @Param('hash') hash: string,
    @Body() body: RotateKeyDto,
  ): Promise<{ data: KeyView; key: string }> {
    const { key, row } = await this.keys.rotate(caller, hash, body.grace_seconds);
    return { data: await this.view(row), key };
  }

  @Delete(':hash')
  @Answers(deleted, {
    summary: 'Delete a key',
    description: 'It stops working within seconds.',
    errors: ['invalid-request'],
  })
  async remove(@FromCaller() caller: Caller, @Param('hash') hash: string): Promise<{ deleted: true }> {
    await this.keys.revoke(caller, hash);
    return { deleted: true };
  }

  private async view(row: ApiKeyEntity): Promise<KeyView> {
    return viewKey(row, await this.windows.ofKey(row.accountId, row.hash));
  }
}
