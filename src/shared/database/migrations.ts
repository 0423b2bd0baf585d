import type { MigrationInterface } from 'typeorm';
import { AccountsKeysAndWindows1764000000000 } from './migrations/1764000000000-accounts-keys-and-windows.js';

/** Every migration, oldest first. A name, once released, never changes or goes away. */
export const MIGRATIONS: readonly (new () => MigrationInterface)[] = [AccountsKeysAndWindows1764000000000];
