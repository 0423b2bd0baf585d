import { Controller, Delete, Get, Header, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CatalogStore } from '../catalog/catalog-store.js';
import { reachOf, type Caller } from '../core/caller.js';
import { unmatchedModels } from '../core/routing/unmatched-models.js';
import { SpendingWindows, NO_SPENDING } from '../ledger/spending-windows.js';
import { ListReplies } from '../shared/http/list-replies.js';
import { EXPORT_TYPES } from '../shared/http/row-export.js';
import { Answers } from '../shared/http/answers.decorator.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';
import { RaiseDto } from '../shared/http/temporary-raise.dto.js';
import { deleted, single, part } from '../shared/http/reply-schemas.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { described, integer, object, text } from '../shared/http/schema.js';
import { addWarnings, WARNING_HEADER, WARNING_MEANING } from '../shared/http/warning-header.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { CreateKeyDto, readKeyDescription } from './create-key.dto.js';
import { DisableKeysDto } from './disable-keys.dto.js';
import { KeysService } from './keys.service.js';
import { keyView, viewKey, viewWholeKey, wholeKeyView, type KeyView, type WholeKeyView } from './key-view.js';
import { ListKeysDto } from './list-keys.dto.js';
import { RotateKeyDto } from './rotate-key.dto.js';
import { readKeyChanges, UpdateKeyDto } from './update-key.dto.js';

/** The only view that ever contains a key. */
const issued = object({ data: wholeKeyView, key: described('The key itself. It is never shown again.', text()) });

/** Chosen: each reading of keys by a figure sorts all of them. */
const SORTED_AT_ONCE = 300;

/** Administration of keys (docs/operate/keys.md#administration). A key's id is its hash. */
@Controller('keys')
@Accepts('management')
export class KeysController {
  constructor(
    private readonly keys: KeysService,
    private readonly windows: SpendingWindows,
    private readonly catalog: CatalogStore,
    private readonly replies: ListReplies,
  ) {}

  @Post()
  @Header('Cache-Control', 'no-store')
  @Answers(issued, {
    summary: 'Make a key',
    description:
      'A management key for which `workspace_id` is given is bound to that workspace: it manages nothing beyond it. So is each one that a bound key makes.',
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
      'of a workspace': { name: 'For the head of a team', kind: 'management', workspace_id: 'default' },
    },
  })
  async create(
    @FromCaller() caller: Caller,
    @FromBody() body: CreateKeyDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: WholeKeyView; key: string }> {
    const { key, row } = await this.keys.issue(caller, readKeyDescription(body), body.workspace_id);
    addWarnings(response, unmatchedModels('allowed_models', body.allowed_models, this.catalog.current));
    return { data: viewWholeKey(row, NO_SPENDING, []), key };
  }

  @Get()
  @Answers(part(keyView), {
    summary: 'List keys',
    description:
      'By `sort`, most or newest first; unless it is given, by the time at which they were made. `format` sends all of them instead.',
    alsoAs: Object.values(EXPORT_TYPES),
    errors: ['not-found'],
  })
  async list(@FromCaller() caller: Caller, @FromQuery() query: ListKeysDto, @Res() response: Response): Promise<void> {
    const isByFigure = query.sort !== undefined && query.sort !== 'created_at';
    if (isByFigure) await this.windows.catchUp();
    await this.replies.sendPart(response, query, {
      accountId: caller.accountId,
      view: keyView,
      read: (page) => this.read(caller, query, page),
      ...(isByFigure && { batch: SORTED_AT_ONCE }),
    });
  }

  private async read(caller: Caller, query: ListKeysDto, page: Page): Promise<ListPart<KeyView>> {
    const { sort = 'created_at', kind, name } = query;
    const [rows, total, last] = await this.keys.list(reachOf(caller), {
      ...page,
      sort,
      kind,
      name,
      creatorUserId: query.creator_user_id,
      disabled: query.disabled ?? (query.include_disabled ? undefined : false),
      includeDeleted: query.include_deleted ?? false,
      workspace: query.workspace_id,
    });
    const spending = await this.windows.ofKeys(
      caller.accountId,
      rows.map(({ hash }) => hash),
    );
    return [rows.map((row) => viewKey(row, spending.get(row.hash) ?? NO_SPENDING)), total, last];
  }

  @Post('disable')
  @HttpCode(200)
  @Answers(single(object({ disabled: described('How many were not disabled before.', integer()) })), {
    summary: 'Disable all keys of a user',
    description:
      'They stop working within seconds. None is disabled where no management key of the account would be left.',
    errors: ['invalid-request'],
    examples: { leaver: { creator_user_id: 'user-1' } },
  })
  async disable(
    @FromCaller() caller: Caller,
    @FromBody() body: DisableKeysDto,
  ): Promise<{ data: { disabled: number } }> {
    return { data: { disabled: await this.keys.disableOf(caller, body.creator_user_id) } };
  }

  @Get(':hash')
  @Answers(single(wholeKeyView), { summary: 'Show a key' })
  async show(@FromCaller() caller: Caller, @Param('hash') hash: string): Promise<{ data: WholeKeyView }> {
    return { data: await this.view(await this.keys.get(reachOf(caller), hash)) };
  }

  @Patch(':hash')
  @Answers(single(wholeKeyView), {
    summary: 'Change a key',
    headers: { [WARNING_HEADER]: WARNING_MEANING },
    description: 'Absent fields stay as they are; null clears a field.',
    examples: { limit: { name: 'Renamed', limit: 25, limit_reset: null }, disable: { disabled: true } },
  })
  async update(
    @FromCaller() caller: Caller,
    @Param('hash') hash: string,
    @FromBody() body: UpdateKeyDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: WholeKeyView }> {
    const row = await this.keys.change(caller, hash, readKeyChanges(body));
    addWarnings(response, unmatchedModels('allowed_models', body.allowed_models, this.catalog.current));
    return { data: await this.view(row) };
  }

  @Post(':hash/raise')
  @HttpCode(200)
  @Answers(single(wholeKeyView), {
    summary: 'Raise the limit of a key for a time',
    description: 'It ends by itself, at that moment. A later raise replaces an earlier one.',
    errors: ['invalid-request'],
    examples: { raise: { amount_usd: 10, until: '2099-12-31T23:59:59Z' } },
  })
  async raise(
    @FromCaller() caller: Caller,
    @Param('hash') hash: string,
    @FromBody() body: RaiseDto,
  ): Promise<{ data: WholeKeyView }> {
    return { data: await this.view(await this.keys.raise(caller, hash, body)) };
  }

  @Post(':hash/rotate')
  @Header('Cache-Control', 'no-store')
  @Answers(issued, {
    summary: 'Rotate a key',
    description:
      'It gets another secret; its limits and its history stay. Former secrets work for the time of grace, and end within seconds of it.',
    errors: ['invalid-request'],
    examples: { grace: { grace_seconds: 3600 }, atOnce: { grace_seconds: 0 } },
  })
  async rotate(
    @FromCaller() caller: Caller,
    @Param('hash') hash: string,
    @FromBody() body: RotateKeyDto,
  ): Promise<{ data: WholeKeyView; key: string }> {
    const { key, row } = await this.keys.rotate(caller, hash, body.grace_seconds);
    return { data: await this.view(row), key };
  }

  @Delete(':hash/secrets/:id')
  @Answers(deleted, {
    summary: 'End a former secret of a key',
    description: 'Before its time of grace is over; within seconds.',
  })
  async endSecret(
    @FromCaller() caller: Caller,
    @Param('hash') hash: string,
    @Param('id') id: string,
  ): Promise<{ deleted: true }> {
    await this.keys.endSecret(caller, hash, id);
    return { deleted: true };
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

  private async view(row: ApiKeyEntity): Promise<WholeKeyView> {
    const [spending, former] = await Promise.all([
      this.windows.ofKey(row.accountId, row.hash),
      this.keys.listFormerSecrets(row),
    ]);
    return viewWholeKey(row, spending, former);
  }
}
