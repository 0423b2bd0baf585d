import { DataSource } from 'typeorm';
import type { Caller } from '../../src/core/caller.js';
import { hashKey, newGenerationId, newUuid } from '../../src/core/ids.js';
import { parseUsd } from '../../src/core/money/credits.js';
import type { GenerationRow } from '../../src/ledger/generations/generation-row.js';
import { LedgerRepository, printGeneration } from '../../src/ledger/ledger.repository.js';
import type { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, type TestGateway } from '../support/app.js';
import type { JsonBody } from '../support/recorded-request.js';
import { generationRow } from '../http/generation-rows.js';

const MODEL = 'test/native';
/** The bound of each of its holds, in USD. */
const BOUND = '0.01';
/** Latest end of a hold, counted from when it is taken. */
const LIVES_MS = 90_000;

/** Another replica on the ledger of a gateway: the test makes its calls, and its heartbeats. */
export class OtherReplica {
  readonly id = newUuid(Date.now());
  private readonly repository: LedgerRepository;
  private readonly source: DataSource;

  private constructor(
    gateway: TestGateway,
    private readonly caller: Caller,
    private readonly clock: AheadClock,
  ) {
    this.repository = gateway.gateway.app.get(LedgerRepository);
    this.source = gateway.gateway.app.get(DataSource);
  }

  static async start(gateway: TestGateway, clock: AheadClock): Promise<OtherReplica> {
    const source = gateway.gateway.app.get(DataSource);
    const [key] = await source.query<JsonBody[]>('select * from api_keys where hash = $1', [hashKey(API_KEY)]);
    const caller: Caller = {
      accountId: key.account_id,
      workspaceId: key.workspace_id,
      keyHash: key.hash,
      kind: 'inference',
      userId: null,
    };
    const replica = new OtherReplica(gateway, caller, clock);
    await replica.beat();
    return replica;
  }

  async hold(): Promise<string> {
    const id = newGenerationId(this.clock.now());
    const amounts = { credits: parseUsd(BOUND)!, byok: 0n };
    const request = { id, caller: this.caller, model: MODEL, bound: amounts, guardrails: [], isFree: false };
    const [taken] = await this.repository.take(this.id, [{ request, amounts, extends: false }], LIVES_MS);
    expect(taken).toHaveProperty('heldAt');
    return id;
  }

  async row(id: string, cost: string, changes: Partial<GenerationRow> = {}): Promise<GenerationRow> {
    const [hold] = await this.source.query<JsonBody[]>(
      'select held_at from holds where generation_id = $1 union all select held_at from generations where id = $1',
      [id],
    );
    const { accountId: account_id, workspaceId: workspace_id, keyHash: key_hash } = this.caller;
    return generationRow(
      { account_id, workspace_id, key_hash },
      { id, held_at: hold.held_at.toISOString(), bound: BOUND, cost, requested_model: MODEL, model: MODEL, ...changes },
    );
  }

  async beat(...observed: readonly GenerationRow[]): Promise<void> {
    await this.repository.writeHeartbeat(
      this.id,
      observed.map((row) => [row.id, printGeneration(row)]),
    );
  }

  async settle(row: GenerationRow): Promise<void> {
    await this.repository.settle([printGeneration(row)]);
    await this.repository.post([row.id]);
  }

  /** Moves the last heartbeat of this replica so far into the past. */
  async fallSilent(ms: number): Promise<void> {
    await this.source.query(`update replicas set heartbeat_at = now() - $2 * interval '1 millisecond' where id = $1`, [
      this.id,
      ms,
    ]);
  }
}
