/**
 * A statement of one value returns it as the driver's own queries would, and a refused one affects no later one. Both
 * databases; each answer is compared with that of `run`.
 */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { Statements } from '../../src/shared/database/statements.js';
import { driverOf } from '../../src/shared/database/store-driver.js';
import { describeOnEachDatabase, describeOnEmbedded, describeOnPostgres } from '../support/database.js';

describeOnEachDatabase('a statement of one value', (database) => {
  let source: DataSource;
  let statements: Statements;
  beforeAll(async () => {
    source = await database.connect();
    statements = new Statements(source);
  }, 240_000);
  afterAll(() => source?.destroy());

  it.each<[string, string, (string | null)[]]>([
    ['text', 'SELECT $1::text', ['größer ❤️ "quoted" \\ \n']],
    ['an empty text', 'SELECT $1::text', ['']],
    ['null', 'SELECT $1::text', [null]],
    ['a text of a megabyte', 'SELECT $1::text', ['word '.repeat(200_000)]],
    ['the first column', 'SELECT $1::text AS a, $2::text AS b', ['one', 'two']],
    ['the first row', "SELECT t FROM unnest(ARRAY[$1, 'b', 'c']::text[]) AS t", ['a']],
  ])('is %s', async (_name, text, values) => {
    const [row] = await statements.run<Record<string, string | null>>(text, values);
    const value = await statements.value(text, values);
    expect(value).toBe(Object.values(row!)[0]);
  });

  it.each([
    ['no row', 'SELECT 1 WHERE $1 = $1 AND false'],
    ['a first row of null', 'SELECT NULL::text UNION ALL SELECT $1::text'],
    ['nothing', 'CREATE TEMPORARY TABLE IF NOT EXISTS nothing_of_it (id int)'],
  ])('is null where there is %s', async (_name, text) => {
    expect(await statements.value(text, text.includes('$1') ? ['x'] : [])).toBeNull();
  });

  it('returns numbers and JSON as they are spelt', async () => {
    expect(await statements.value('SELECT $1::numeric', ['0.123456789012'])).toBe('0.123456789012');
    expect(await statements.value('SELECT $1::json', ['{"a": 1.0}'])).toBe('{"a": 1.0}');
  });

  it('fails as a query does, with the code of the server, again and again', async () => {
    for (let round = 0; round < 5; round++) {
      await expect(statements.value('SELECT 1 / $1::int', ['0'])).rejects.toMatchObject({ code: '22012' });
      await expect(statements.value('SELECT nobody($1)', ['0'])).rejects.toMatchObject({ code: /^42/ });
      expect(await statements.value('SELECT $1::text', [String(round)])).toBe(String(round));
    }
  });

  it('returns to each concurrent statement its own value', async () => {
    const values = Array.from({ length: 200 }, (_, index) => String(index));
    expect(await Promise.all(values.map((value) => statements.value('SELECT $1::text', [value])))).toEqual(values);
  });
});

describeOnPostgres('a statement that is safe once it is sent', (database) => {
  it('reports that it is sent before it is answered, and is executed whatever becomes of the sender', async () => {
    const source = await database.connect();
    const statements = new Statements(source);
    await statements.run('CREATE TABLE sent_by (name text)');
    const order: string[] = [];
    const sent = new Promise<void>((resolve) => {
      void statements
        .value('WITH late AS (SELECT pg_sleep(0.2)) INSERT INTO sent_by SELECT $1 FROM late', ['it'], () => {
          order.push('sent');
          resolve();
        })
        .catch(() => undefined)
        .finally(() => order.push('answered'));
    });
    await sent;
    expect(order).toEqual(['sent']);
    // As a killed process leaves its connections.
    const pool = driverOf(source).pool as unknown as { _clients: { connection: { stream: Socket } }[] };
    for (const { connection } of pool._clients) connection.stream.destroy();
    await source.destroy().catch(() => undefined);

    const other = await database.connect();
    try {
      const names = async () => (await new Statements(other).run<{ name: string }>('SELECT name FROM sent_by')).length;
      for (let tries = 0; tries < 100 && (await names()) === 0; tries++) await sleep(50);
      expect(await names()).toBe(1);
    } finally {
      await other.destroy();
    }
  }, 240_000);
});

describeOnEmbedded('statements of the embedded database', (database) => {
  it('are parsed once each, and again after one has failed', async () => {
    const source = await database.connect();
    const statements = new Statements(source);
    const kept = () =>
      statements.run<{ statement: string }>("SELECT statement FROM pg_prepared_statements WHERE name LIKE 'parsed-%'");
    const before = (await kept()).length;
    for (let round = 0; round < 3; round++) {
      expect(await statements.value('SELECT $1::text AS once', [String(round)])).toBe(String(round));
    }
    expect((await kept()).length).toBe(before + 1);
    await expect(statements.value('SELECT 1 / $1::int AS once', ['0'])).rejects.toMatchObject({ code: '22012' });
    expect(await statements.value('SELECT 1 / $1::int AS once', ['1'])).toBe('1');
    await source.destroy();
  });
});
