import { Controller, Delete, Get, Param, Patch, Res, UseInterceptors } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../core/caller.js';
import { Answers } from '../shared/http/answers.decorator.js';
import { ExactJsonInterceptor } from '../shared/http/exact-json.interceptor.js';
import { ListReplies } from '../shared/http/list-replies.js';
import { FromBody, FromQuery } from '../shared/http/parameter-types.js';
import { ClosedQuery } from '../shared/http/query.guard.js';
import { deleted, single, part } from '../shared/http/reply-schemas.js';
import { FromCaller } from '../shared/http/route.decorators.js';
import { EXPORT_TYPES } from '../shared/http/row-export.js';
import { ListPresetsDto, ListVersionsDto, PresetQueryDto, readChanges, UpdatePresetDto } from './preset-bodies.dto.js';
import {
  designatedPresetView,
  presetView,
  versionView,
  viewDesignated,
  viewPreset,
  viewVersion,
  type DesignatedPresetView,
  type VersionView,
} from './preset-view.js';
import { PresetsService } from './presets.service.js';

/**
 * Presets (docs/use/presets.md), by either kind of key: those of the workspace of an inference key, and of any
 * workspace that a management key manages. The controllers of the API formats save them.
 */
@UseInterceptors(ExactJsonInterceptor)
@Controller('presets')
@ClosedQuery()
export class PresetsController {
  constructor(
    private readonly presets: PresetsService,
    private readonly replies: ListReplies,
  ) {}

  @Get()
  @Answers(part(presetView), {
    summary: 'List presets',
    description: '`format` sends all of them instead.',
    alsoAs: Object.values(EXPORT_TYPES),
    errors: ['not-found'],
  })
  async list(
    @FromCaller() caller: Caller,
    @FromQuery() query: ListPresetsDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.replies.sendPart(response, query, {
      accountId: caller.accountId,
      view: presetView,
      read: async (page) => {
        const [presets, total, last] = await this.presets.list(caller, page, query.workspace_id);
        return [presets.map(viewPreset), total, last];
      },
    });
  }

  @Get(':slug')
  @Answers(single(designatedPresetView), { summary: 'Show a preset, with the version that requests use' })
  async show(
    @FromCaller() caller: Caller,
    @Param('slug') slug: string,
    @FromQuery() query: PresetQueryDto,
  ): Promise<{ data: DesignatedPresetView }> {
    return { data: viewDesignated(await this.presets.get(caller, slug, query.workspace_id)) };
  }

  @Get(':slug/versions')
  @Answers(part(versionView), {
    summary: 'List the versions of a preset',
    description:
      'The newest first. A page ends early where its versions have 1 MiB together; the next one begins after them.',
  })
  async listVersions(
    @FromCaller() caller: Caller,
    @Param('slug') slug: string,
    @FromQuery() query: ListVersionsDto,
  ): Promise<{ data: VersionView[]; total_count: number }> {
    const [versions, total] = await this.presets.listVersions(caller, slug, query, query.workspace_id);
    return { data: versions.map(viewVersion), total_count: total };
  }

  @Get(':slug/versions/:version')
  @Answers(single(versionView), { summary: 'Show a version of a preset' })
  async showVersion(
    @FromCaller() caller: Caller,
    @Param('slug') slug: string,
    @Param('version') version: string,
    @FromQuery() query: PresetQueryDto,
  ): Promise<{ data: VersionView }> {
    return { data: viewVersion(await this.presets.getVersion(caller, slug, version, query.workspace_id)) };
  }

  @Patch(':slug')
  @Answers(single(designatedPresetView), {
    summary: 'Change a preset',
    description: 'Absent fields stay as they are. Settings are changed by saving a new version.',
    examples: { earlier: { designated_version: 1 }, closed: { status: 'archived' } },
  })
  async update(
    @FromCaller() caller: Caller,
    @Param('slug') slug: string,
    @FromQuery() query: PresetQueryDto,
    @FromBody() body: UpdatePresetDto,
  ): Promise<{ data: DesignatedPresetView }> {
    return { data: viewDesignated(await this.presets.change(caller, slug, readChanges(body), query.workspace_id)) };
  }

  @Delete(':slug')
  @Answers(deleted, { summary: 'Delete a preset with its versions' })
  async remove(
    @FromCaller() caller: Caller,
    @Param('slug') slug: string,
    @FromQuery() query: PresetQueryDto,
  ): Promise<{ deleted: true }> {
    await this.presets.delete(caller, slug, query.workspace_id);
    return { deleted: true };
  }
}
