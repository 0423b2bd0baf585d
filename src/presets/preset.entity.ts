import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { WorkspaceEntity } from '../accounts/workspace.entity.js';
import { isOneOf } from '../shared/database/is-one-of.js';

/** Only an active one can be used. */
export const PRESET_STATUSES = ['active', 'disabled', 'archived'] as const;
export type PresetStatus = (typeof PRESET_STATUSES)[number];

/** The API formats that a preset is saved from and used in. */
export const PRESET_APIS = ['messages', 'chat', 'responses'] as const;
export type PresetApi = (typeof PRESET_APIS)[number];

/** Settings of inference under a name, which requests of its workspace use. */
@Entity('presets')
@Check('presets_status_check', isOneOf('status', PRESET_STATUSES))
@Unique('presets_slug', ['accountId', 'workspaceId', 'slug'])
@ForeignKey(() => WorkspaceEntity, ['accountId', 'workspaceId'], ['accountId', 'id'], { name: 'presets_workspace' })
@Index('presets_newest', ['accountId', 'workspaceId', 'createdAt', 'id'])
export class PresetEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'account_id', type: 'uuid' })
  accountId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  workspaceId!: string;

  @Column({ type: 'text' })
  slug!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'text' })
  status!: PresetStatus;

  /** Null: it has had no other status. */
  @Column({ name: 'status_updated_at', type: 'timestamptz', precision: 3, nullable: true })
  statusUpdatedAt!: Date | null;

  /** The version that requests use. */
  @Column({ name: 'designated_version_id', type: 'uuid' })
  designatedVersionId!: string;

  /** User of the key that created it. */
  @Column({ name: 'creator_user_id', type: 'text', nullable: true })
  creatorUserId!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}

/** One saved state of a preset. Immutable. */
@Entity('preset_versions')
@Check('preset_versions_api_check', isOneOf('api', PRESET_APIS))
@Unique('preset_versions_number', ['presetId', 'version'])
export class PresetVersionEntity {
  @PrimaryColumn({ type: 'uuid' })
  id!: string;

  @Column({ name: 'preset_id', type: 'uuid' })
  @ForeignKey(() => PresetEntity, { name: 'preset_versions_preset_id_fkey', onDelete: 'CASCADE' })
  presetId!: string;

  /** From 1. */
  @Column({ type: 'integer' })
  version!: number;

  /** The format of `config`. */
  @Column({ type: 'text' })
  api!: PresetApi;

  /** Printed JSON: models see the order of keys in schemas of tools, which `jsonb` does not keep. */
  @Column({ type: 'text' })
  config!: string;

  @Column({ name: 'system_prompt', type: 'text', nullable: true })
  systemPrompt!: string | null;

  /** User of the key that saved it. */
  @Column({ name: 'creator_id', type: 'text', nullable: true })
  creatorId!: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

/** A preset with the version that requests use. */
export interface DesignatedPreset {
  readonly preset: PresetEntity;
  readonly version: PresetVersionEntity;
}
