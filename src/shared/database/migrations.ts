import type { MigrationInterface } from 'typeorm';
import { AccountsKeysAndWindows1764000000000 } from './migrations/1764000000000-accounts-keys-and-windows.js';
import { RouteDecisions1764100000000 } from './migrations/1764100000000-route-decisions.js';
import { Books1764200000000 } from './migrations/1764200000000-books.js';
import { BookStatements1764200000001 } from './migrations/1764200000001-book-statements.js';
import { VaultAndWalls1764300000000 } from './migrations/1764300000000-vault-and-walls.js';
import { HoldsInOneValue1764400000000 } from './migrations/1764400000000-holds-in-one-value.js';

/** Every migration, oldest first. A name, once released, never changes or goes away. */
export const MIGRATIONS: readonly (new () => MigrationInterface)[] = [
  AccountsKeysAndWindows1764000000000,
  RouteDecisions1764100000000,
  Books1764200000000,
  BookStatements1764200000001,
  VaultAndWalls1764300000000,
  HoldsInOneValue1764400000000,
];
