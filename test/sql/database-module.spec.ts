// An application finds its database open and migrated, and closes it after everything that may still write. Uses the
// real module in a small application, on each database; the start fails because of the database's contents.
import { Global, Injectable, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Column, DataSource, Entity, PrimaryColumn, Repository } from 'typeorm';
import { Secret } from '../../src/core/secret.js';
import { Clock, SystemClock } from '../../src/core/time.js';
import { DatabaseHealth } from '../../src/shared/database/database-health.js';
import { DatabaseModule } from '../../src/shared/database/database.module.js';
import { EmbeddedOpener } from '../../src/shared/database/embedded.js';
import { StoreRefused } from '../../src/shared/database/store-refused.js';
import { Environment } from '../../src/shared/environment.js';
import { describeOnEachDatabase, describeOnPostgres, type DatabaseSettings } from '../support/database.js';

@Entity('accounts')
class AccountEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;
}

const ACCOUNT = { id: '0190a000-0000-7000-8000-000000000001', name: 'one' };

@Injectable()
class Writer implements OnModuleInit, OnApplicationShutdown {
  constructor(@InjectRepository(AccountEntity) readonly accounts: Repository<AccountEntity>) {}

  async onModuleInit(): Promise<void> {
    await this.accounts.save({ ...ACCOUNT });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.accounts.update(ACCOUNT.id, { name: 'closed' });
  }
}

@Module({ imports: [TypeOrmModule.forFeature([AccountEntity])], providers: [Writer] })
class WriterModule {}

function openApp(settings: DatabaseSettings, opener: EmbeddedOpener): Promise<TestingModule> {
  const context = [
    { provide: Environment, useValue: settings },
    { provide: Clock, useClass: SystemClock },
  ];
  @Global()
  @Module({ providers: context, exports: context })
  class ContextModule {}
  return Test.createTestingModule({
    imports: [ContextModule, DatabaseModule.register(opener), WriterModule],
  }).compile();
}

describeOnEachDatabase('the database module', (database) => {
  it('serves repositories of a migrated database, answers pings, and closes after the last writer', async () => {
    const app = await openApp(database.settings, database.opener);
    await app.init();
    expect(await app.get(Writer, { strict: false }).accounts.find()).toEqual([ACCOUNT]);
    expect(await app.get(DatabaseHealth).ping()).toBe(true);
    await app.close();
    expect(await app.get(DatabaseHealth).ping()).toBe(false);

    const after = await database.connect();
    expect(await after.query('select name from accounts')).toEqual([{ name: 'closed' }]);
    await after.destroy();
  });

  it('fails to start at once on an unknown schema, and releases the database', async () => {
    const newer = await database.connect();
    await newer.query(`insert into migrations (timestamp, name) values (1999999999999, 'Newer1999999999999')`);
    await newer.destroy();

    await expect(openApp(database.settings, database.opener)).rejects.toThrow('newer release');

    // It opens only once at a time: this would fail if the first were still open.
    await expect(database.connect()).rejects.toThrow('newer release');
  });
});

describeOnPostgres('a server', (database) => {
  it('lacks the database: the start fails at once with the server’s message, because waiting would not help', async () => {
    const url = new URL(database.settings.databaseUrl!.reveal());
    url.pathname = '/no_such_database';
    const settings = { ...database.settings, databaseUrl: new Secret(url.href) };
    await expect(openApp(settings, database.opener)).rejects.toThrow('no_such_database');
  });

  it('refuses the role: the start fails at once, in one line that names all that it lacks', async () => {
    const owner = await database.connect();
    const [{ owner: name }]: [{ owner: string }] = await owner.query('select quote_ident(current_user) as owner');
    const role = `fairlead_guest_${process.pid}`;
    const url = new URL(database.settings.databaseUrl!.reveal());
    url.username = role;
    url.password = 'guest';
    const settings = { ...database.settings, databaseUrl: new Secret(url.href) };
    const refusal = async (): Promise<Error> => {
      const error: unknown = await openApp(settings, database.opener).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StoreRefused);
      expect((error as Error).message).not.toContain('\n');
      return error as Error;
    };
    await owner.query(`create role ${role} login password 'guest'`);
    try {
      await owner.query(`alter role ${role} set search_path = elsewhere`);
      expect((await refusal()).message).toMatch(
        /no schema has been selected .* administrator of it: CREATE SCHEMA elsewhere AUTHORIZATION fairlead_guest_\d+;$/,
      );
      await owner.query('create schema elsewhere');
      expect((await refusal()).message).toMatch(
        /no schema has been selected .* GRANT USAGE, CREATE ON SCHEMA elsewhere TO fairlead_guest_\d+;$/,
      );
      await owner.query(`grant usage on schema elsewhere to ${role}`);
      expect((await refusal()).message).toMatch(
        /permission denied for schema elsewhere\)\. .* GRANT USAGE, CREATE ON SCHEMA elsewhere TO fairlead_guest_\d+;$/,
      );
      // A store of a third role, which may no longer make tables there itself: one start names both.
      const third = `${role}_owner`;
      await owner.query(`create role ${third}`);
      await owner.query(
        `create table elsewhere.migrations (id int, timestamp bigint, name text); alter table elsewhere.migrations owner to ${third}`,
      );
      expect((await refusal()).message).toMatch(
        /administrator of it: GRANT USAGE, CREATE ON SCHEMA elsewhere TO (fairlead_guest_\d+); GRANT \1_owner TO \1;$/,
      );
      await owner.query(`drop table elsewhere.migrations; drop role ${third}`);
      await owner.query(`alter role ${role} reset search_path`);
      expect((await refusal()).message).toMatch(
        new RegExp(`permission denied for table migrations\\)\\. .* GRANT ${name} TO ${role};$`),
      );
      await owner.query(`alter role ${role} set default_transaction_read_only = on`);
      await owner.query(`grant ${name} to ${role}`);
      const [{ name: latest }]: [{ name: string }] = await owner.query(
        'select name from migrations order by id desc limit 1',
      );
      // A migration is pending, and the role may run it.
      await owner.query('delete from migrations where name = $1', [latest]);
      expect((await refusal()).message).toContain('is read-only');
      await owner.query('insert into migrations (timestamp, name) values ($1, $2)', [/\d+$/.exec(latest)![0], latest]);
    } finally {
      await owner.query(`drop owned by ${role}`);
      await owner.query(`drop role ${role}`);
      await owner.destroy();
    }
  });

  it('closes idle connections: the process lives on and the next statement gets a new one', async () => {
    const dataSource = await database.connect();
    const [{ pid }]: [{ pid: number }] = await dataSource.query('select pg_backend_pid() as pid');
    const other: DataSource = await database.connect();
    await other.query('select pg_terminate_backend($1)', [pid]);
    // The close has arrived once the server no longer lists the connection; a statement in between may still meet it.
    for (let gone = false; !gone;) {
      gone = (await other.query<unknown[]>('select 1 from pg_stat_activity where pid = $1', [pid])).length === 0;
    }
    const health = new DatabaseHealth(dataSource, new SystemClock());
    while (!(await health.ping()));
    await dataSource.destroy();
    await other.destroy();
  });
});
