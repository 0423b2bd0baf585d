import type { DataSource } from 'typeorm';
import type { CatalogSnapshot } from '../../core/routing/catalog.js';
import { explainDecision, type ExplainedDecision } from '../../core/routing/decision/explain-decision.js';

/** Stored routing decision of a generation. */
export interface KeptDecision {
  readonly generation_id: string;
  readonly held_at: Date | string;
  readonly account_id: string;
  readonly workspace_id: string;
  readonly decision: string;
}

interface KeptConsultation {
  readonly place: number;
  readonly purpose: string;
  readonly decision: string;
}

/** A model that was consulted, and how it was routed. */
export interface ExplainedConsultation extends Omit<KeptConsultation, 'decision'> {
  readonly decision: ExplainedDecision;
}

/** @returns undefined where none is kept: unknown, too old or not written yet */
export async function findDecision(
  database: Pick<DataSource, 'query'>,
  generationId: string,
): Promise<KeptDecision | undefined> {
  const [row] = await database.query<KeptDecision[]>(
    `SELECT generation_id, held_at, account_id, workspace_id, decision FROM route_decisions WHERE generation_id = $1`,
    [generationId],
  );
  return row;
}

/** The models that were consulted for a generation, in their order. */
export async function explainConsultations(
  database: Pick<DataSource, 'query'>,
  generationId: string,
  catalog: CatalogSnapshot,
): Promise<readonly ExplainedConsultation[]> {
  const rows = await database.query<KeptConsultation[]>(
    `SELECT place, purpose, decision FROM consulted_decisions WHERE generation_id = $1 ORDER BY place`,
    [generationId],
  );
  return rows.map((row) => ({ ...row, decision: explainDecision(row.decision, catalog) }));
}
