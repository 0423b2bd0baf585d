import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { WorkspaceDirectory } from '../accounts/workspace-directory.js';
import { reachOf, type Caller } from '../core/caller.js';
import { GatewayError } from '../core/errors.js';
import { newUuid } from '../core/ids.js';
import { ManagedChanges } from '../management/managed-changes.js';
import { ManagedKind } from '../management/managed-kind.js';
import { waitForLock } from '../shared/database/advisory-locks.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';
import { ActivePresets } from './active-presets.js';
import { viewPreset } from './preset-view.js';
import type { DesignatedPreset, PresetEntity, PresetVersionEntity } from './preset.entity.js';
import { PresetsRepository, type PresetScope } from './presets.repository.js';
import type { SavedSettings } from './saved-settings.js';

/** Maximum number of presets in a workspace. Chosen. */
const PRESETS_MAX = 1_000;
/** Maximum number of versions of a preset. Chosen: an id of a version in use is never given up. */
const VERSIONS_MAX = 10_000;

/** Presets as the audit log shows them: without their settings, which may be content. */
const PRESET = new ManagedKind<PresetEntity>('preset', (preset) => ({
  target: preset.id,
  workspaceId: preset.workspaceId,
  view: viewPreset(preset),
}));

/** What of a preset may be changed. */
export interface PresetChanges {
  readonly name?: string;
  readonly description?: string | null;
  readonly status?: PresetEntity['status'];
  /** Number of a version. */
  readonly designatedVersion?: number;
}

/**
 * The presets of workspaces, and every change of them. A change is in force in this process when it returns, and
 * everywhere within five seconds.
 */
@Injectable()
export class PresetsService {
  constructor(
    private readonly presets: PresetsRepository,
    private readonly active: ActivePresets,
    private readonly workspaces: WorkspaceDirectory,
    private readonly changes: ManagedChanges,
  ) {}

  /** Newest first, with the total number. @throws GatewayError `not-found` */
  async list(caller: Caller, page: Page, workspace: string | undefined): Promise<ListPart<PresetEntity>> {
    return this.presets.list(await this.scopeOf(caller, workspace), page);
  }

  /** @throws GatewayError `not-found` */
  async get(caller: Caller, slug: string, workspace: string | undefined): Promise<DesignatedPreset> {
    const found = await this.presets.designated(await this.scopeOf(caller, workspace), slug);
    if (!found) throw noSuchPreset();
    return found;
  }

  /** Newest first, with the total number. @throws GatewayError `not-found` */
  async listVersions(
    caller: Caller,
    slug: string,
    page: Page,
    workspace: string | undefined,
  ): Promise<[PresetVersionEntity[], number]> {
    const { preset } = await this.get(caller, slug, workspace);
    return this.presets.listVersions(preset.id, page);
  }

  /** @throws GatewayError `not-found` */
  async getVersion(
    caller: Caller,
    slug: string,
    number: string,
    workspace: string | undefined,
  ): Promise<PresetVersionEntity> {
    const { preset } = await this.get(caller, slug, workspace);
    const version = /^[1-9]\d{0,8}$/.test(number) ? await this.presets.findVersion(preset.id, Number(number)) : null;
    if (!version) throw noSuchVersion();
    return version;
  }

  /**
   * Adds a version, which requests use from now on. An unknown slug makes a preset.
   * @throws GatewayError `not-found`; `conflict` where the workspace or the preset is full
   */
  async save(
    caller: Caller,
    slug: string,
    saved: SavedSettings,
    workspace: string | undefined,
  ): Promise<DesignatedPreset> {
    const scope = await this.scopeOf(caller, workspace);
    return this.changes.run(caller, async (manager, at) => {
      await this.workspaces.lockShared(manager, scope.accountId, scope.workspaceId);
      await waitForLock(manager, 'presets', scope.workspaceId);
      const before = await this.presets.lock(manager, scope, slug);
      const versionId = newUuid(at.getTime());
      const preset = before
        ? await this.presets.update(manager, before, { designatedVersionId: versionId, updatedAt: at })
        : await this.create(manager, caller, {
            ...scope,
            slug,
            designatedVersionId: versionId,
            createdAt: at,
            updatedAt: at,
          });
      const newest = await this.presets.newestVersion(manager, preset.id);
      if (newest >= VERSIONS_MAX)
        throw new GatewayError('conflict', `A preset has at most ${VERSIONS_MAX} versions; save under another slug.`);
      const creatorId = caller.userId ?? caller.accountId;
      const numbered = { id: versionId, presetId: preset.id, version: newest + 1, creatorId, createdAt: at };
      const version = await this.presets.insertVersion(manager, { ...saved, ...numbered });
      const entry = before ? PRESET.updated(before, preset, { version: version.version }) : PRESET.created(preset);
      return { result: { preset, version }, entries: [entry], forget: () => this.active.forget(scope, slug) };
    });
  }

  /** @throws GatewayError `not-found`; `invalid-request` for a version that does not exist */
  async change(
    caller: Caller,
    slug: string,
    { designatedVersion, ...own }: PresetChanges,
    workspace: string | undefined,
  ): Promise<DesignatedPreset> {
    const scope = await this.scopeOf(caller, workspace);
    return this.changes.run(caller, async (manager, at) => {
      const preset = await this.presets.lock(manager, scope, slug);
      if (!preset) throw noSuchPreset();
      const chosen =
        designatedVersion === undefined ? null : await this.presets.findVersion(preset.id, designatedVersion, manager);
      if (designatedVersion !== undefined && !chosen)
        throw new GatewayError('invalid-request', 'designated_version: there is no such version of this preset');
      const values = { ...own, ...(chosen && { designatedVersionId: chosen.id }) };
      const hasNewStatus = own.status !== undefined && own.status !== preset.status;
      const written = { ...values, updatedAt: at, ...(hasNewStatus && { statusUpdatedAt: at }) };
      const note = chosen ? { version: chosen.version } : {};
      const change = await PRESET.update(preset, values, () => this.presets.update(manager, preset, written), note);
      const version = await this.presets.versionById(manager, change.result.designatedVersionId);
      return {
        ...change,
        result: { preset: change.result, version: version! },
        forget: () => this.active.forget(scope, slug),
      };
    });
  }

  /** @throws GatewayError `not-found` */
  async delete(caller: Caller, slug: string, workspace: string | undefined): Promise<void> {
    const scope = await this.scopeOf(caller, workspace);
    await this.changes.run(caller, async (manager) => {
      const preset = await this.presets.lock(manager, scope, slug);
      if (!preset) throw noSuchPreset();
      await this.presets.delete(manager, preset);
      return { result: undefined, entries: [PRESET.deleted(preset)], forget: () => this.active.forget(scope, slug) };
    });
  }

  private async create(
    manager: EntityManager,
    caller: Caller,
    preset: PresetScope & Pick<PresetEntity, 'slug' | 'designatedVersionId' | 'createdAt' | 'updatedAt'>,
  ): Promise<PresetEntity> {
    if ((await this.presets.count(manager, preset)) >= PRESETS_MAX)
      throw new GatewayError('conflict', `A workspace has at most ${PRESETS_MAX} presets; delete one first.`);
    return this.presets.insert(manager, {
      ...preset,
      id: newUuid(preset.createdAt.getTime()),
      name: preset.slug,
      description: null,
      status: 'active',
      statusUpdatedAt: null,
      creatorUserId: caller.userId,
    });
  }

  /** The workspace of the key, unless a management key names another one. */
  private async scopeOf(caller: Caller, workspace: string | undefined): Promise<PresetScope> {
    const { accountId, workspaceId } = caller;
    if (workspace === undefined) return { accountId, workspaceId };
    const reach = caller.kind === 'inference' ? { accountId, boundTo: workspaceId } : reachOf(caller);
    return { accountId, workspaceId: (await this.workspaces.get(reach, workspace)).id };
  }
}

const noSuchPreset = (): GatewayError => new GatewayError('not-found', 'There is no preset with this slug.');
const noSuchVersion = (): GatewayError => new GatewayError('not-found', 'There is no such version of this preset.');
