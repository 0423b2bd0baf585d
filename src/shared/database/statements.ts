import { randomUUID } from 'node:crypto';
import type { Writable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import { driverOf } from './store-driver.js';

/**
 * Statements of the request path, sent directly through the driver's pool: no query runner, no entities. Everything
 * else goes through TypeORM.
 */
@Injectable()
export class Statements {
  /** Called with the duration of each statement, including its wait for a connection; failed ones as well. */
  onAnswered: ((seconds: number) => void) | undefined;
  private readonly pool: Pool;
  /** Absent where the database is a server. */
  private readonly parsed: ParsedStatements | undefined;

  constructor(database: DataSource) {
    const { pool, isEmbedded } = driverOf(database);
    this.pool = pool;
    if (isEmbedded) this.parsed = new ParsedStatements();
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
   * For statements of every request.
   * @param sent called when the whole statement has left this process, so that a server executes it even if this
   * process dies; not called where that is unknown before the answer
   * @returns the first column of the first row as text; null where there is none
   */
  value(text: string, values: readonly (string | null)[], sent?: () => void): Promise<string | null> {
    const query = new ValueQuery(text, values, this.parsed, sent);
    const began = performance.now();
    return new Promise((resolve, reject) => {
      this.pool.query(query, undefined, (error) => {
        this.onAnswered?.((performance.now() - began) / 1000);
        if (error) reject(error);
        else resolve(query.value ?? null);
      });
    });
  }

  /** Connections of all users of the pool. */
  get connections(): { readonly busy: number; readonly idle: number; readonly waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }
}

type Callback = (error?: Error | null) => void;

/** The pool of the driver; the driver's types omit the callback of a custom query. */
interface Pool extends Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'> {
  query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<Row>>;
  query(query: ValueQuery, values: undefined, callback: Callback): void;
}

/** The used parts of the driver's connection: its types are of an older release. */
interface Protocol {
  readonly stream: Writable;
  parse(message: { readonly name: string; readonly text: string }): void;
  bind(message: { readonly statement: string; readonly values: readonly (string | null)[] }): void;
  execute(): void;
  sync(): void;
}

/** Names of the statements that the embedded database's one session has parsed, by connection to it. */
class ParsedStatements {
  /** Connections may be recreated, and databases reopened, while the session continues. */
  private readonly prefix = `parsed-${randomUUID()}-`;
  private count = 0;
  private readonly names = new WeakMap<Protocol, Map<string, string>>();

  /** The name of a statement that this connection has parsed. */
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

  /** A failed statement may not have been parsed: the next one is parsed again. */
  forget(text: string, connection: Protocol): void {
    this.names.get(connection)?.delete(text);
  }
}

/**
 * A statement whose answer is one value, read as text: this saves the driver the description of the columns, the row
 * and the result, which cost more than the rest. It is sent in one piece. For a pool's `query`. Source: "Extended
 * Query" in the description of PostgreSQL's protocol; the driver treats an object with `submit` like its own queries.
 */
class ValueQuery implements pg.Submittable {
  /** Set by the driver. */
  callback: Callback | undefined;
  /** Undefined before the first row. */
  value: string | null | undefined;
  private protocol: Protocol | undefined;

  constructor(
    private readonly text: string,
    private readonly values: readonly (string | null)[],
    private readonly parsed: ParsedStatements | undefined,
    private readonly sent?: () => void,
  ) {}

  submit(connection: pg.Connection): void {
    const protocol = connection as unknown as Protocol;
    const { text, values, parsed } = this;
    // The embedded connection has no socket.
    const stream = parsed ? undefined : protocol.stream;
    this.protocol = protocol;
    stream?.cork();
    try {
      // A pooler may give each transaction another session, so for a server it is planned for one use. The embedded
      // database has one session in this process, and plans each once.
      if (!parsed) protocol.parse({ name: '', text });
      protocol.bind({ statement: parsed ? parsed.nameOf(text, protocol) : '', values });
      protocol.execute();
      protocol.sync();
    } finally {
      stream?.uncork();
    }
    // Bytes that the system has accepted are sent even if this process is killed.
    if (stream?.writableLength === 0) this.sent?.();
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.value === undefined) this.value = fields[0] ?? null;
  }

  handleCommandComplete(): void {
    // The value is returned when the server is ready for the next statement.
  }

  handleReadyForQuery(): void {
    const { callback } = this;
    this.callback = undefined;
    callback?.();
  }

  handleError(error: Error): void {
    if (this.protocol) this.parsed?.forget(this.text, this.protocol);
    const { callback } = this;
    this.callback = undefined;
    callback?.(error);
  }
}
