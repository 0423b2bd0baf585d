import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ListPosition } from '../../shared/http/page-cursor.js';
import { mergeBatches } from '../spool/merge-batches.js';
import { batchOf, Parameters, scanStatement, type Batch, type ListSource, type ScannedRow } from '../keyset-lists.js';

/** The kinds of entries: credits that are entered, and spending. */
export const ENTRY_KINDS = ['grant', 'purchase', 'adjustment', 'refund', 'generation', 'correction'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** Filters the listed entries of an account; an absent field filters nothing. */
export interface EntryFilter {
  readonly accountId: string;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly kind?: EntryKind | undefined;
  /** The workspace of the key that spent. Credits that were entered belong to no workspace. */
  readonly workspaceId?: string | undefined;
}

/** An entry as it is stored. */
export interface StoredEntry extends ScannedRow {
  readonly kind: EntryKind;
  /** Positive where it adds to the credits. */
  readonly amount: string;
  readonly generation_id: string | null;
  readonly key_hash: string | null;
  readonly workspace_id: string | null;
  readonly note: string | null;
  readonly entered_at: Date;
}

/** The statements that list `credit_grants` and `ledger_entries` as one. */
@Injectable()
export class CreditEntriesRepository {
  constructor(private readonly database: DataSource) {}

  /** See `ReadBatch`. */
  async read(filter: EntryFilter, after: ListPosition | undefined, limit: number): Promise<Batch<StoredEntry>> {
    const batches: Batch<StoredEntry>[] = [];
    for (const { text, values } of entriesStatements(filter, after, limit))
      batches.push(batchOf(await this.database.query<StoredEntry[]>(text, values), limit));
    return mergeBatches(batches, limit);
  }
}

/** A statement for each table that may have such entries. Exported for the test of their plans. */
export function entriesStatements(
  filter: EntryFilter,
  after: ListPosition | undefined,
  limit: number,
): readonly { readonly text: string; readonly values: unknown[] }[] {
  const { kind, workspaceId } = filter;
  const tables: ((filter: EntryFilter, parameters: Parameters) => ListSource)[] = [];
  if (kind === undefined || kind === 'generation' || kind === 'correction') tables.push(spent);
  if (workspaceId === undefined && kind !== 'generation' && kind !== 'correction') tables.push(entered);
  return tables.map((scannedOf) => {
    const parameters = new Parameters();
    const text = scanStatement(scannedOf(filter, parameters), parameters, after, limit);
    return { text, values: parameters.values };
  });
}

function spent({ accountId, from, to, kind, workspaceId }: EntryFilter, parameters: Parameters): ListSource {
  const ofAccount = `g.account_id = ${parameters.add(accountId)}`;
  const filters = [ofAccount];
  if (workspaceId !== undefined) filters.push(`g.workspace_id = ${parameters.add(workspaceId)}`);
  if (kind === 'generation') filters.push(`g.kind = 'charge'`);
  return {
    table: 'ledger_entries',
    columns: `CASE g.kind WHEN 'charge' THEN 'generation' ELSE g.kind END AS kind, -g.amount AS amount,
      g.generation_id, g.key_hash, g.workspace_id, NULL AS note, g.entered_at`,
    at: 'g.held_at',
    id: `(CASE g.kind WHEN 'charge' THEN g.generation_id ELSE g.generation_id || '-' || g.kind END)`,
    conditions: kind === 'correction' ? [ofAccount, `g.kind = 'correction'`] : [ofAccount],
    isExact: workspaceId === undefined,
    filters,
    from,
    to,
  };
}

function entered({ accountId, from, to, kind }: EntryFilter, parameters: Parameters): ListSource {
  const ofAccount = `g.account_id = ${parameters.add(accountId)}`;
  return {
    table: 'credit_grants',
    columns: `g.kind, g.amount, NULL AS generation_id, NULL AS key_hash, NULL AS workspace_id, g.note, g.created_at AS entered_at`,
    at: 'g.created_at',
    id: 'g.id::text',
    conditions: [ofAccount],
    isExact: kind === undefined,
    filters: kind === undefined ? [ofAccount] : [ofAccount, `g.kind = ${parameters.add(kind)}`],
    from,
    to,
  };
}
