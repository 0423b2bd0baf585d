import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { parseJson, type Json, type JsonObject } from '../core/json/json.js';
import { yieldToEventLoop } from '../core/yield-to-event-loop.js';
import { insertReturning, updateReturning } from '../shared/database/returned-rows.js';
import { listNewest } from '../shared/database/newest-first.js';
import type { ListPart, Page } from '../shared/http/page.dto.js';
import { presetSlug } from './preset-slug.js';
import { PresetEntity, PresetVersionEntity, type DesignatedPreset } from './preset.entity.js';

/** The workspace whose presets are meant. */
export interface PresetScope {
  readonly accountId: string;
  readonly workspaceId: string;
}

/** An active preset. */
export interface ListedPreset {
  readonly slug: string;
  readonly name: string;
  /** The field of the version that requests use. */
  readonly model: Json | undefined;
}

/** Settings of a page of versions, in bytes: it ends early, because they are printed at once. Chosen. */
const PAGE_BYTES_MAX = 1024 * 1024;
/** Characters of settings after which other work continues before the next are read. */
const YIELDING_LENGTH = 16 * 1024;
/** Presets whose settings are in memory at once while all are listed. */
const READ_MAX = 32;

/** The statements over `presets` and `preset_versions`. */
@Injectable()
export class PresetsRepository {
  constructor(private readonly database: DataSource) {}

  /** Newest first, with the total number. */
  async list({ accountId, workspaceId }: PresetScope, page: Page): Promise<ListPart<PresetEntity>> {
    const found = this.database.manager.createQueryBuilder(PresetEntity, 'preset').where({ accountId, workspaceId });
    return listNewest(found, 'id', 'DESC', page);
  }

  /** The active ones, by their slugs, without their settings: those of all may be a gigabyte. */
  async listActive({ accountId, workspaceId }: PresetScope): Promise<ListedPreset[]> {
    const listed: ListedPreset[] = [];
    for (let last = ''; ; last = listed.at(-1)!.slug) {
      const rows = await this.database.query<{ slug: string; name: string; config: string }[]>(
        `SELECT p.slug, p.name, v.config FROM presets p JOIN preset_versions v ON v.id = p.designated_version_id
         WHERE p.account_id = $1 AND p.workspace_id = $2 AND p.status = 'active' AND p.slug > $3
         ORDER BY p.slug LIMIT ${READ_MAX}`,
        [accountId, workspaceId, last],
      );
      // PostgreSQL cannot read the settings: its own parser refuses escapes that JSON allows.
      for (const { slug, name, config } of rows) {
        listed.push({ slug, name, model: (parseJson(config) as JsonObject)['model'] });
        // Settings of a megabyte may take a tenth of a second.
        if (config.length > YIELDING_LENGTH) await yieldToEventLoop();
      }
      if (rows.length < READ_MAX) return listed;
    }
  }

  async find(
    { accountId, workspaceId }: PresetScope,
    slug: string,
    manager: EntityManager = this.database.manager,
  ): Promise<PresetEntity | null> {
    return presetSlug.check(slug) ? manager.findOneBy(PresetEntity, { accountId, workspaceId, slug }) : null;
  }

  /** Locks a preset of the workspace until the transaction ends. */
  async lock(
    manager: EntityManager,
    { accountId, workspaceId }: PresetScope,
    slug: string,
  ): Promise<PresetEntity | null> {
    if (!presetSlug.check(slug)) return null;
    const where = { accountId, workspaceId, slug };
    return manager.findOne(PresetEntity, { where, lock: { mode: 'pessimistic_write' } });
  }

  async designated(scope: PresetScope, slug: string): Promise<DesignatedPreset | null> {
    const preset = await this.find(scope, slug);
    const version = preset && (await this.versionById(this.database.manager, preset.designatedVersionId));
    return version ? { preset, version } : null;
  }

  async versionById(manager: EntityManager, id: string): Promise<PresetVersionEntity | null> {
    return manager.findOneBy(PresetVersionEntity, { id });
  }

  async findVersion(
    presetId: string,
    version: number,
    manager: EntityManager = this.database.manager,
  ): Promise<PresetVersionEntity | null> {
    return manager.findOneBy(PresetVersionEntity, { presetId, version });
  }

  /** Newest first, with the total number. */
  async listVersions(presetId: string, { offset, limit }: Page): Promise<[PresetVersionEntity[], number]> {
    const { manager } = this.database;
    const rows = await manager.query<{ id: string }[]>(
      `SELECT id FROM (
         SELECT id, row_number() OVER newest AS row, sum(bytes) OVER newest AS total FROM (
           SELECT id, version, octet_length(config) + coalesce(octet_length(system_prompt), 0) AS bytes
           FROM preset_versions WHERE preset_id = $1 ORDER BY version DESC OFFSET $2 LIMIT $3
         ) AS page WINDOW newest AS (ORDER BY version DESC)
       ) AS sized WHERE row = 1 OR total <= $4`,
      [presetId, offset, limit, PAGE_BYTES_MAX],
    );
    return Promise.all([
      manager.find(PresetVersionEntity, { where: { id: In(rows.map(({ id }) => id)) }, order: { version: 'DESC' } }),
      manager.countBy(PresetVersionEntity, { presetId }),
    ]);
  }

  /** The number of the newest version; 0: there is none. */
  async newestVersion(manager: EntityManager, presetId: string): Promise<number> {
    return (await manager.maximum(PresetVersionEntity, 'version', { presetId })) ?? 0;
  }

  async count(manager: EntityManager, { accountId, workspaceId }: PresetScope): Promise<number> {
    return manager.countBy(PresetEntity, { accountId, workspaceId });
  }

  async insert(manager: EntityManager, preset: PresetEntity): Promise<PresetEntity> {
    return insertReturning(manager, PresetEntity, preset);
  }

  async insertVersion(manager: EntityManager, version: PresetVersionEntity): Promise<PresetVersionEntity> {
    return insertReturning(manager, PresetVersionEntity, version);
  }

  /** @returns the row as it is stored now */
  async update(
    manager: EntityManager,
    { accountId, id }: PresetEntity,
    changes: Partial<PresetEntity>,
  ): Promise<PresetEntity> {
    const [row] = await updateReturning(manager, PresetEntity, { accountId, id }, changes);
    return row!;
  }

  /** Deletes a preset and its versions. */
  async delete(manager: EntityManager, { accountId, id }: PresetEntity): Promise<void> {
    await manager.delete(PresetEntity, { accountId, id });
  }
}
