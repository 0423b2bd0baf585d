import type { DataSource } from 'typeorm';
import type { PicoUsd } from '../../src/core/money/credits.js';
import type { Clock } from '../../src/core/time.js';
import { AccountOpening } from '../../src/ledger/account-opening.js';
import { CreditsRepository } from '../../src/ledger/credits/credits.repository.js';
import { CreditsService } from '../../src/ledger/credits/credits.service.js';
import type { Environment } from '../../src/shared/environment.js';
import { managedChanges } from './audit-log.js';

/** Creates the account of a store that has none, with its dependencies built by hand. */
export function accountOpening(dataSource: DataSource, clock: Clock, initialCredits: PicoUsd = 0n): AccountOpening {
  const changes = managedChanges(dataSource, clock);
  const credits = new CreditsService(new CreditsRepository(clock), changes);
  return new AccountOpening(changes, credits, { initialCredits } as Environment, clock);
}
