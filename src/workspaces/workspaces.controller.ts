import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { CatalogStore } from '../catalog/catalog-store.js';
import type { Caller } from '../core/caller.js';
import { Accepts, FromCaller } from '../shared/http/route.decorators.js';
import { PageDto, readPage } from './page.dto.js';
import { CreateWorkspaceDto, readWorkspace, UpdateWorkspaceDto } from './workspace-bodies.dto.js';
import { viewWorkspace, type WorkspaceView } from './workspace-view.js';
import { Workspaces } from './workspaces.js';

/** Administration of workspaces (WIRE 2.8). A path names one by its id or its slug. */
@Controller('workspaces')
@Accepts('management')
export class WorkspacesController {
  constructor(
    private readonly workspaces: Workspaces,
    private readonly catalog: CatalogStore,
  ) {}

  @Post()
  async create(@FromCaller() caller: Caller, @Body() body: CreateWorkspaceDto): Promise<{ data: WorkspaceView }> {
    const description = { ...readWorkspace(body, this.catalog.current()), name: body.name, slug: body.slug };
    return { data: viewWorkspace(await this.workspaces.create(caller, description)) };
  }

  @Get()
  async list(
    @FromCaller() { accountId }: Caller,
    @Query() query: PageDto,
  ): Promise<{ data: WorkspaceView[]; total_count: number }> {
    const [rows, total] = await this.workspaces.list(accountId, readPage(query));
    return { data: rows.map(viewWorkspace), total_count: total };
  }

  @Get(':reference')
  async show(
    @FromCaller() { accountId }: Caller,
    @Param('reference') reference: string,
  ): Promise<{ data: WorkspaceView }> {
    return { data: viewWorkspace(await this.workspaces.get(accountId, reference)) };
  }

  @Patch(':reference')
  async update(
    @FromCaller() caller: Caller,
    @Param('reference') reference: string,
    @Body() body: UpdateWorkspaceDto,
  ): Promise<{ data: WorkspaceView }> {
    const changes = readWorkspace(body, this.catalog.current());
    return { data: viewWorkspace(await this.workspaces.change(caller, reference, changes)) };
  }

  @Delete(':reference')
  async remove(@FromCaller() caller: Caller, @Param('reference') reference: string): Promise<{ deleted: true }> {
    await this.workspaces.remove(caller, reference);
    return { deleted: true };
  }
}
