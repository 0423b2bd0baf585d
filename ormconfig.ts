import { AbstractLogger, DataSource, MigrationExecutor, type LogLevel, type LogMessage, type Migration } from 'typeorm';
import { ENTITIES } from './src/bootstrap/entities.js';
import { DirectoryOpener } from './src/shared/database/embedded.js';
import { migrate } from './src/shared/database/migrate.js';
import { assertOfThisRelease, listExecuted } from './src/shared/database/schema-history.js';
import { StoreRefused } from './src/shared/database/store-refused.js';
import { databaseOptions } from './src/shared/database/options.js';
import { readStoreLocation } from './src/shared/database/transfer/store-command.js';

/** Migrates as the gateway does when it starts: under the same lock, and refusing the same stores. */
class Store extends DataSource {
  override async initialize(): Promise<this> {
    await super.initialize();
    try {
      assertOfThisRelease(await listExecuted(this));
    } catch (error) {
      if (!(error instanceof StoreRefused)) throw error;
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    }
    return this;
  }

  override async runMigrations(): Promise<Migration[]> {
    const names = await migrate(this);
    const executed = await new MigrationExecutor(this).getExecutedMigrations();
    return executed.filter(({ name }) => names.includes(name));
  }
}

/** What the commands found and did, without the statements. */
class CommandLogger extends AbstractLogger {
  protected override writeLog(_level: LogLevel, message: LogMessage): void {
    if (message.type === 'schema-build' || message.type === 'migration')
      process.stdout.write(`${String(message.message)}\n`);
  }
}

const location = readStoreLocation({ variables: process.env, workingDirectory: process.cwd() });
const embedded = location.databaseUrl === undefined ? await new DirectoryOpener().open(location.dataDir) : undefined;

/**
 * For the TypeORM commands only (`npm run migration:show`, `migration:run`, `migration:generate`): the store that a
 * gateway with the same settings would use. The gateway migrates it itself when it starts.
 */
export default new Store({
  ...databaseOptions({ ...location, databasePool: 1 }, embedded),
  entities: ENTITIES,
  logger: new CommandLogger(['schema', 'migration']),
});
