import type { DataSource } from 'typeorm';
import { AuditLog } from '../../src/audit/audit-log.js';
import { ManagedChanges } from '../../src/audit/managed-changes.js';
import type { PicoUsd } from '../../src/core/money/credits.js';
import type { Clock } from '../../src/core/time.js';
import { AccountOpening } from '../../src/ledger/account-opening.js';
import { CreditsRepository } from '../../src/ledger/credits.repository.js';
import { CreditsService } from '../../src/ledger/credits.service.js';
import type { Environment } from '../../src/shared/environment.js';

/** What makes the account of a store that has none, put together by hand. */
export function accountOpening(dataSource: DataSource, clock: Clock, initialCredits: PicoUsd = 0n): AccountOpening {
  const changes = new ManagedChanges(dataSource, new AuditLog(clock), clock);
  const credits = new CreditsService(new CreditsRepository(clock), changes);
  return new AccountOpening(changes, credits, { initialCredits } as Environment, clock);
}
