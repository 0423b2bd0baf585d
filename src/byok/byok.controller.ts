import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { CatalogStore } from '../catalog/catalog-store.js';
import { reachOf, type Caller } from '../core/caller.js';
import { unmatchedModels } from '../core/routing/unmatched-models.js';
import { routabilityOf } from '../providers/routability.js';
import { abortWhenGone } from '../shared/http/server/abort-when-gone.js';
import { ListReplies } from '../shared/http/list-replies.js';
import { EXPORT_TYPES } from '../shared/http/row-export.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { deleted, single, part } from '../shared/http/reply-schemas.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { addWarnings, WARNING_HEADER, WARNING_MEANING } from '../shared/http/warning-header.js';
import { CreateCredentialDto, readCredentialDescription } from './create-credential.dto.js';
import { CredentialOpener } from './credential-opener.js';
import { CredentialsService } from './credentials.service.js';
import { CredentialTest, credentialTestView, type CredentialTestView } from './credential-test.js';
import { credentialReply, viewCredential, viewRecord, type CredentialReply } from './credential-view.js';
import { ListCredentialsDto } from './list-credentials.dto.js';
import type { ProviderCredentialEntity } from './provider-credential.entity.js';
import { readCredentialChanges, UpdateCredentialDto } from './update-credential.dto.js';

/** Administration of the account's own provider credentials (docs/operate/byok.md#the-interface). */
@Controller('byok')
@Accepts('management')
export class ByokController {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly opener: CredentialOpener,
    private readonly credentialTest: CredentialTest,
    private readonly catalog: CatalogStore,
    private readonly replies: ListReplies,
  ) {}

  @Post()
  @Answers(single(credentialReply), {
    summary: 'Store a credential of your own at a provider',
    headers: { [WARNING_HEADER]: WARNING_MEANING },
    description:
      'It is kept encrypted and never shown again. `routable` states whether requests can be sent to the provider, and `reason` why not.',
    errors: ['not-found'],
    examples: {
      minimal: { provider: 'openai', key: 'sk-an-example-that-opens-nothing' },
      narrow: {
        provider: 'anthropic',
        key: 'sk-ant-an-example-that-opens-nothing',
        name: 'Research',
        allowed_models: ['anthropic/claude-sonnet-4.5'],
        is_fallback: true,
      },
    },
  })
  async create(
    @FromCaller() caller: Caller,
    @FromBody() body: CreateCredentialDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: CredentialReply }> {
    const row = await this.credentials.create(caller, readCredentialDescription(body));
    addWarnings(response, unmatchedModels('allowed_models', body.allowed_models, this.catalog.current));
    return { data: await this.view(row) };
  }

  @Get()
  @Answers(part(credentialReply), {
    summary: 'List credentials, newest first',
    description: '`format` sends all of them instead.',
    alsoAs: Object.values(EXPORT_TYPES),
    errors: ['not-found'],
  })
  async list(
    @FromCaller() caller: Caller,
    @FromQuery() query: ListCredentialsDto,
    @Res() response: Response,
  ): Promise<void> {
    const { provider, workspace_id: workspace } = query;
    await this.replies.sendPart(response, query, {
      accountId: caller.accountId,
      view: credentialReply,
      read: async (page) => {
        const [rows, total, last] = await this.credentials.list(reachOf(caller), { ...page, provider, workspace });
        return [await Promise.all(rows.map((row) => this.view(row))), total, last];
      },
    });
  }

  @Get(':id')
  @Answers(single(credentialReply), { summary: 'Show a credential' })
  async show(@FromCaller() caller: Caller, @Param('id') id: string): Promise<{ data: CredentialReply }> {
    return { data: await this.view(await this.credentials.get(reachOf(caller), id)) };
  }

  @Patch(':id')
  @Answers(single(credentialReply), {
    summary: 'Change a credential',
    headers: { [WARNING_HEADER]: WARNING_MEANING },
    description: 'Absent fields stay as they are, null clears a field; `key` replaces the credential itself.',
    examples: { rename: { name: 'Renamed', sort_order: 1 }, rotate: { key: 'sk-another-that-opens-nothing' } },
  })
  async update(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @FromBody() body: UpdateCredentialDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: CredentialReply }> {
    const row = await this.credentials.change(caller, id, readCredentialChanges(body));
    addWarnings(response, unmatchedModels('allowed_models', body.allowed_models, this.catalog.current));
    return { data: await this.view(row) };
  }

  @Delete(':id')
  @Answers(deleted, { summary: 'Delete a credential' })
  async remove(@FromCaller() caller: Caller, @Param('id') id: string): Promise<{ deleted: true }> {
    await this.credentials.remove(caller, id);
    return { deleted: true };
  }

  /** Chosen: lets a caller test a credential at its provider before traffic uses it. */
  @Post(':id/test')
  @HttpCode(200)
  @Answers(single(credentialTestView), { summary: 'Test a credential at its provider' })
  async test(
    @FromCaller() caller: Caller,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: CredentialTestView }> {
    const row = await this.credentials.get(reachOf(caller), id);
    return { data: await this.credentialTest.run(row, abortWhenGone(response).signal) };
  }

  private async view(row: ProviderCredentialEntity): Promise<CredentialReply> {
    const { status } = await this.opener.open(row);
    return { ...viewCredential(row), ...viewRecord(row, status), ...routabilityOf(row.provider, this.catalog.current) };
  }
}
