import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { DataSource } from 'typeorm';

/**
 * Statements of the request path, straight to the driver's pool: no query runner, no entities. Everything
 * else goes through TypeORM.
 */
@Injectable()
export class Statements {
  /** Told how long each statement took to be answered, its wait for a connection included, failed ones as well. */
  onAnswered: ((seconds: number) => void) | undefined;
  private readonly pool: Pool;
  private readonly parsed = new ParsedStatements();

  constructor(database: DataSource) {
    // TypeORM does not say so in its types, yet the driver is PostgreSQL's and this is its pool, embedded or not.
    this.pool = (database.driver as unknown as { readonly master: Pool }).master;
  }

  /** @returns the rows; `numeric` and `bigint` are strings */
  async run<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const began = performance.now();
    try {
      const { rows } = await this.pool.query<Row>(text, [...values]);
      return rows;
    } finally {
      this.onAnswered?.((performance.now() - began) / 1000);
    }
  }

  /**
   * For what every request sends.
   * @param sent called when all of it has left this process, so that a server does it whatever becomes of us; not at
   *   all where that is not known before the answer
   * @returns the first column of the first row as text; null where there is none
   */
  value(text: string, values: readonly (string | null)[], sent?: () => void): Promise<string | null> {
    const query = new ValueQuery(text, values, this.parsed, sent);
    const began = performance.now();
    return new Promise((resolve, reject) => {
      this.pool.query(query, undefined, (error, value) => {
        this.onAnswered?.((performance.now() - began) / 1000);
        if (error) reject(error);
        else resolve(value ?? null);
      });
    });
  }

  /** Of all who use the pool. */
  get connections(): { readonly busy: number; readonly idle: number; readonly waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }
}

type Callback = (error: Error | null | undefined, value?: string | null) => void;

/** The pool calls back with what a query of ours is called back with: its types know of its own queries alone. */
interface Pool extends Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'> {
  query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<Row>>;
  query(query: ValueQuery, values: undefined, callback: Callback): void;
}

/** What of the driver's connection is used here: its types are of an older release. */
interface Protocol {
  /** Without all of it where the database is embedded. */
  readonly stream: { cork?(): void; uncork?(): void; readonly writableLength?: number };
  parse(message: { readonly name: string; readonly text: string }): void;
  bind(message: { readonly statement: string; readonly values: readonly (string | null)[] }): void;
  execute(): void;
  sync(): void;
}

/** Names of the statements that the embedded database's one session has parsed, for each of the connections to it. */
class ParsedStatements {
  /** Connections are made anew, and databases opened again, where the session goes on. */
  private readonly prefix = `parsed-${randomUUID()}-`;
  private count = 0;
  private readonly names = new WeakMap<Protocol, Map<string, string>>();

  /** Parses what this connection has not. */
  nameOf(text: string, connection: Protocol): string {
    let names = this.names.get(connection);
    if (!names) this.names.set(connection, (names = new Map<string, string>()));
    let name = names.get(text);
    if (name === undefined) {
      names.set(text, (name = `${this.prefix}${++this.count}`));
      connection.parse({ name, text });
    }
    return name;
  }

  /** What failed may not have been parsed: the next of its kind is parsed again. */
  forget(text: string, connection: Protocol): void {
    this.names.get(connection)?.delete(text);
  }
}

/**
 * A statement whose answer is one value, read as text: the driver is spared the description of the columns, the row and
 * the result, which cost it more than the rest. It goes out as one piece. Handed to a pool's `query`. Source: "Extended
 * Query" in the description of PostgreSQL's protocol; the driver calls what has a `submit` as its own queries.
 */
class ValueQuery implements pg.Submittable {
  /** Set by the driver. */
  callback: Callback | undefined;
  private protocol: Protocol | undefined;
  /** Undefined before the first row. */
  private value: string | null | undefined;

  constructor(
    private readonly text: string,
    private readonly values: readonly (string | null)[],
    private readonly parsed: ParsedStatements,
    private readonly sent?: () => void,
  ) {}

  submit(connection: pg.Connection): void {
    const protocol = connection as unknown as Protocol;
    const { text, values, parsed } = this;
    this.protocol = protocol;
    protocol.stream.cork?.();
    try {
      // What stands between here and a server may give each transaction another session, so there it is planned for
      // this one time. The embedded database has one, computes here, and plans each once.
      const isServer = protocol.stream.cork !== undefined;
      if (isServer) protocol.parse({ name: '', text });
      protocol.bind({ statement: isServer ? '' : parsed.nameOf(text, protocol), values });
      protocol.execute();
      protocol.sync();
    } finally {
      protocol.stream.uncork?.();
    }
    // What the system has taken goes out though this process be killed.
    if (protocol.stream.writableLength === 0) this.sent?.();
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.value === undefined) this.value = fields[0] ?? null;
  }

  handleCommandComplete(): void {
    // The value is told when the server is ready for the next statement.
  }

  handleReadyForQuery(): void {
    const { callback } = this;
    this.callback = undefined;
    callback?.(null, this.value ?? null);
  }

  handleError(error: Error): void {
    if (this.protocol) this.parsed.forget(this.text, this.protocol);
    const { callback } = this;
    this.callback = undefined;
    callback?.(error);
  }
}
