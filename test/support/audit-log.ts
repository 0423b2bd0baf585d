import type { DataSource } from 'typeorm';
import { AuditLog } from '../../src/audit/audit-log.js';
import { AuditSeals } from '../../src/audit/audit-seals.js';
import { ManagedChanges } from '../../src/management/managed-changes.js';
import { Secret } from '../../src/core/secret.js';
import type { Clock } from '../../src/core/time.js';
import { DataKeys } from '../../src/vault/data-keys.js';
import type { KeyService } from '../../src/vault/key-service.js';
import { LocalKeyService } from '../../src/vault/local-key-service.js';

/** 32 bytes that begin with the id, as base64. */
export const keyText = (id: string): string => Buffer.alloc(32, `canary ${id}`).toString('base64');

/** Local keys of these ids; the first wraps. */
export const localKeys = (...ids: string[]): LocalKeyService =>
  new LocalKeyService(ids.map((id) => ({ id, key: new Secret(keyText(id)) })));

/** The seals of one process, built by hand. */
export const auditSeals = (dataSource: DataSource, clock: Clock, keys: KeyService = localKeys('test')): AuditSeals =>
  new AuditSeals(new DataKeys(dataSource, keys, clock));

/** The only way to change managed resources, built by hand. */
export const managedChanges = (
  dataSource: DataSource,
  clock: Clock,
  seals = auditSeals(dataSource, clock),
): ManagedChanges => new ManagedChanges(dataSource, new AuditLog(clock, seals), clock);
