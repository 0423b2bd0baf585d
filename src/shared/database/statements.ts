import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import { ValueQuery } from './value-query.js';

/** Statements of the request path, straight to the driver's pool: no query runner, no entities. Everything else goes through TypeORM. */
@Injectable()
export class Statements {
  private readonly pool: Pick<pg.Pool, 'query'>;

  constructor(database: DataSource) {
    // TypeORM does not say so in its types, yet the driver is PostgreSQL's and this is its pool, embedded or not.
    this.pool = (database.driver as unknown as { readonly master: pg.Pool }).master;
  }

  /** @returns the rows; `numeric` and `bigint` are strings */
  async run<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const { rows } = await this.pool.query<Row>(text, [...values]);
    return rows;
  }

  /**
   * For what every request sends.
   * @returns the first column of the first row as text; null where there is none
   */
  value(text: string, values: readonly (string | null)[]): Promise<string | null> {
    // The pool resolves to what it is called back with; its types say what it does without a pool.
    return this.pool.query(new ValueQuery(text, values)) as unknown as Promise<string | null>;
  }
}
