import { Expose } from 'class-transformer';
import { Column } from 'typeorm';
import type { PluginEntry } from '../core/conversation/request.js';
import { ExposeAs } from '../shared/http/column-exposure.js';

/** Columns with the administrators' settings of an account or a workspace for routing and plugins. */
export abstract class PolicyColumns {
  /** Slugs of providers; null is no restriction. */
  @Column({ name: 'allowed_providers', type: 'jsonb', nullable: true })
  @Expose({ name: 'allowed_providers' })
  allowedProviders!: readonly string[] | null;

  @Column({ name: 'ignored_providers', type: 'jsonb', nullable: true })
  @Expose({ name: 'ignored_providers' })
  ignoredProviders!: readonly string[] | null;

  @Column({ name: 'deny_data_collection', type: 'boolean', default: false })
  @ExposeAs('data_collection', (isDenied) => (isDenied === true ? 'deny' : 'allow'))
  denyDataCollection!: boolean;

  @Column({ name: 'enforce_zdr', type: 'boolean', default: false })
  @Expose({ name: 'enforce_zdr' })
  enforceZdr!: boolean;

  /** Defaults of plugins, each with its id. Not exposed: JSON of callers, in which class-transformer drops keys. */
  @Column({ type: 'jsonb', default: [] })
  plugins!: readonly PluginEntry[];
}
