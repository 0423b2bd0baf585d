import { Column } from 'typeorm';

/** What whoever manages an account or a workspace lets routing do. */
export abstract class PolicyColumns {
  /** Slugs of providers; null is no restriction. */
  @Column({ name: 'allowed_providers', type: 'jsonb', nullable: true })
  allowedProviders!: readonly string[] | null;

  @Column({ name: 'ignored_providers', type: 'jsonb', nullable: true })
  ignoredProviders!: readonly string[] | null;

  @Column({ name: 'deny_data_collection', type: 'boolean', default: false })
  denyDataCollection!: boolean;

  @Column({ name: 'enforce_zdr', type: 'boolean', default: false })
  enforceZdr!: boolean;
}
