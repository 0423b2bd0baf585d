import { DataSource } from 'typeorm';
import { LedgerJobs } from '../../src/ledger/ledger-jobs.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import type { JsonBody } from './recorded-request.js';
import type { TestGateway } from './app.js';

/** The values of a counter, in USD as in the database without trailing zeros. */
export interface Counter {
  readonly used: number;
  readonly held: number;
}

/** The ledger of a gateway under test, read directly from its store. */
export class LedgerReader {
  constructor(private readonly gateway: TestGateway) {}

  query(text: string, values: readonly unknown[] = []): Promise<JsonBody> {
    return this.app.get(DataSource).query(text, [...values]);
  }

  /** Resolves when all ended generations are settled, and the counters are updated. */
  async rest(): Promise<void> {
    const ledger = this.app.get(LedgerService);
    // A generation that ends with its connection ends a moment after it.
    for (let turn = 0; ledger.openHolds.size > 0 && turn < 200; turn++)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await ledger.settled();
    await this.app.get(LedgerJobs).runAll();
  }

  /** The row of a generation, settled or not; undefined where there is none. */
  async generation(id: string): Promise<JsonBody> {
    const [row] = await this.query('select * from generations where id = $1', [id]);
    return row;
  }

  async latest(): Promise<JsonBody> {
    const [row] = await this.query('select * from generations order by held_at desc, id desc limit 1');
    return row;
  }

  async entriesOf(id: string): Promise<JsonBody[]> {
    return this.query('select kind, amount from ledger_entries where generation_id = $1 order by kind', [id]);
  }

  /** The account's counter. */
  async account(): Promise<Counter> {
    const [row] = await this.query(`select used, held from spending_windows where scope = 'account'`);
    return { used: Number(row.used), held: Number(row.held) };
  }

  async openHolds(): Promise<number> {
    const [row] = await this.query('select count(*)::int as count from holds');
    return row.count;
  }

  private get app() {
    return this.gateway.gateway.app;
  }
}
