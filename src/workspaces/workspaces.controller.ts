import { Controller, Delete, Get, Param, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { viewWorkspace, workspaceView, type WorkspaceView } from '../accounts/workspace-view.js';
import { CatalogStore } from '../catalog/catalog-store.js';
import { reachOf, type Caller } from '../core/caller.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { ExportedPageDto } from '../shared/http/exported-page.dto.js';
import { ListReplies } from '../shared/http/list-replies.js';
import { deleted, single, part } from '../shared/http/reply-schemas.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { EXPORT_TYPES } from '../shared/http/row-export.js';
import { CreateWorkspaceDto, readWorkspace, UpdateWorkspaceDto } from './workspace-bodies.dto.js';
import { WorkspacesService } from './workspaces.service.js';

/** Administration of workspaces (docs/operate/workspaces.md#calls). A path names one by its id or its slug. */
@Controller('workspaces')
@Accepts('management')
export class WorkspacesController {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly catalog: CatalogStore,
    private readonly replies: ListReplies,
  ) {}

  @Post()
  @Answers(single(workspaceView), {
    summary: 'Make a workspace',
    examples: {
      minimal: { name: 'Research', slug: 'research' },
      careful: {
        name: 'Patients',
        slug: 'patients',
        description: 'Nothing is kept, nothing is trained on.',
        data_collection: 'deny',
        enforce_zdr: true,
        default_provider_sort: 'price',
      },
    },
  })
  async create(@FromCaller() caller: Caller, @FromBody() body: CreateWorkspaceDto): Promise<{ data: WorkspaceView }> {
    const description = { ...readWorkspace(body, this.catalog.current), name: body.name, slug: body.slug };
    return { data: viewWorkspace(await this.workspaces.create(caller, description)) };
  }

  @Get()
  @Answers(part(workspaceView), {
    summary: 'List workspaces',
    description: '`format` sends all of them instead.',
    alsoAs: Object.values(EXPORT_TYPES),
  })
  async list(
    @FromCaller() caller: Caller,
    @FromQuery() query: ExportedPageDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.replies.sendPart(response, query, {
      accountId: caller.accountId,
      view: workspaceView,
      read: async (page) => {
        const [rows, total, last] = await this.workspaces.list(reachOf(caller), page);
        return [rows.map(viewWorkspace), total, last];
      },
    });
  }

  @Get(':reference')
  @Answers(single(workspaceView), { summary: 'Show a workspace' })
  async show(@FromCaller() caller: Caller, @Param('reference') reference: string): Promise<{ data: WorkspaceView }> {
    return { data: viewWorkspace(await this.workspaces.get(reachOf(caller), reference)) };
  }

  @Patch(':reference')
  @Answers(single(workspaceView), {
    summary: 'Change a workspace',
    description:
      'Absent fields stay as they are; null clears a field. A key that is bound to the workspace cannot change its `slug`, `include_byok_in_budgets`, nor a default guardrail of another workspace.',
    examples: {
      providers: { ignored_providers: ['groq'], description: null },
      plugins: { plugins: [{ id: 'response-healing' }] },
    },
  })
  async update(
    @FromCaller() caller: Caller,
    @Param('reference') reference: string,
    @FromBody() body: UpdateWorkspaceDto,
  ): Promise<{ data: WorkspaceView }> {
    const changes = readWorkspace(body, this.catalog.current);
    return { data: viewWorkspace(await this.workspaces.change(caller, reference, changes)) };
  }

  @Delete(':reference')
  @Answers(deleted, { summary: 'Delete a workspace', description: 'Not while it has active keys.' })
  async remove(@FromCaller() caller: Caller, @Param('reference') reference: string): Promise<{ deleted: true }> {
    await this.workspaces.remove(caller, reference);
    return { deleted: true };
  }
}
