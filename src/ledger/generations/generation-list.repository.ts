import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { formatUsd, type PicoUsd } from '../../core/money/credits.js';
import type { ListPosition } from '../../shared/http/page-cursor.js';
import { ALL_PROMPT_TOKENS } from './generation-columns.js';
import { answeredOutcome, recordedOutcomes, type Outcome } from './generation-outcomes.js';
import type { StoredGeneration } from './generation.repository.js';
import { batchOf, Parameters, scanStatement, type Batch, type ScannedRow } from '../keyset-lists.js';

/** Filters the listed generations of an account; an absent field filters nothing. */
export interface GenerationFilter {
  readonly accountId: string;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly keyHash?: string | undefined;
  readonly workspaceId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The end user. */
  readonly user?: string | undefined;
  /** The user that the key was made for. */
  readonly member?: string | undefined;
  readonly model?: string | undefined;
  /** A slug. */
  readonly provider?: string | undefined;
  readonly api?: string | undefined;
  /** Any of these. */
  readonly outcomes?: readonly Outcome[] | undefined;
  readonly minCost?: PicoUsd | undefined;
  /** `name=value`; all of them. */
  readonly tags?: readonly string[] | undefined;
}

export interface ListedGeneration extends StoredGeneration, ScannedRow {}

/** The statements that list `generations`. */
@Injectable()
export class GenerationListRepository {
  constructor(private readonly database: DataSource) {}

  /** See `ReadBatch`. */
  async read(
    filter: GenerationFilter,
    after: ListPosition | undefined,
    limit: number,
  ): Promise<Batch<ListedGeneration>> {
    const { text, values } = generationsStatement(filter, after, limit);
    return batchOf(await this.database.query<ListedGeneration[]>(text, values), limit);
  }
}

/** Exported for the test of its plan. */
export function generationsStatement(
  filter: GenerationFilter,
  after: ListPosition | undefined,
  limit: number,
): { readonly text: string; readonly values: unknown[] } {
  const parameters = new Parameters();
  const filters = filtersOf(filter, parameters);
  const conditions = conditionsOf(filter, parameters);
  const byOutcome = indexOf(filter) === FAILED ? recordedOutcomes(filter.outcomes!) : undefined;
  const scanned = {
    table: 'generations',
    columns: `g.*, ${ALL_PROMPT_TOKENS} AS all_prompt_tokens`,
    at: 'g.held_at',
    id: 'g.id',
    conditions,
    anyOf: byOutcome && { column: 'g.outcome', values: byOutcome.recorded },
    // Exact: the index has applied all filters, or there is none but that of the account.
    isExact:
      filters.length <= (isIndexed(filter) ? 2 : 1) && (filter.outcomes === undefined || byOutcome?.isExact === true),
    filters,
    from: filter.from,
    to: filter.to,
  };
  return { text: scanStatement(scanned, parameters, after, limit), values: parameters.values };
}

/** Whether an index answers one of the filters, so that a list needs no range of time. */
export const isIndexed = (filter: GenerationFilter): boolean => indexOf(filter) !== undefined;

type Conditions = (filter: GenerationFilter, parameters: Parameters) => string[];

interface Index {
  readonly isGiven: (filter: GenerationFilter) => boolean;
  readonly conditions: Conditions;
}

/** Filter for failed generations: the index is ordered by outcome, then by time. */
const FAILED: Index = {
  isGiven: ({ outcomes }) => outcomes !== undefined && !outcomes.includes('completed'),
  conditions: ({ accountId }, parameters) => [
    `g.account_id = ${parameters.add(accountId)}`,
    `g.outcome <> 'completed'`,
  ],
};

/** The indexes besides that of the account's time, the most selective first. */
const INDEXED: readonly Index[] = [
  {
    isGiven: ({ sessionId }) => sessionId !== undefined,
    conditions: ({ accountId, sessionId }, parameters) => [
      `g.account_id = ${parameters.add(accountId)}`,
      ...equalByHash('g.session_id', parameters.add(sessionId)),
    ],
  },
  {
    isGiven: ({ user }) => user !== undefined,
    conditions: ({ accountId, user }, parameters) => [
      `g.account_id = ${parameters.add(accountId)}`,
      ...equalByHash('g.end_user', parameters.add(user)),
    ],
  },
  {
    isGiven: ({ keyHash }) => keyHash !== undefined,
    conditions: ({ keyHash }, parameters) => [`g.key_hash = ${parameters.add(keyHash)}`],
  },
  // Before the workspace: fewer generations failed than belong to a workspace.
  FAILED,
  {
    isGiven: ({ workspaceId }) => workspaceId !== undefined,
    conditions: ({ workspaceId }, parameters) => [`g.workspace_id = ${parameters.add(workspaceId)}`],
  },
];

const indexOf = (filter: GenerationFilter): Index | undefined => INDEXED.find(({ isGiven }) => isGiven(filter));

const conditionsOf: Conditions = (filter, parameters) =>
  indexOf(filter)?.conditions(filter, parameters) ?? [`g.account_id = ${parameters.add(filter.accountId)}`];

/** The index has the hash, because texts of callers may be longer than an index takes. */
const equalByHash = (column: string, value: string): string[] => [
  `${column} IS NOT NULL`,
  `hashtextextended(${column}, 0) = hashtextextended(${value}::text, 0)`,
];

/** All filters, also those that the index has applied: the account of each row is always checked here. */
function filtersOf(filter: GenerationFilter, parameters: Parameters): string[] {
  const filters = [`g.account_id = ${parameters.add(filter.accountId)}`];
  const mustEqual = (expression: string, value: string | undefined): void => {
    if (value !== undefined) filters.push(`${expression} = ${parameters.add(value)}`);
  };
  mustEqual('g.key_hash', filter.keyHash);
  mustEqual('g.workspace_id', filter.workspaceId);
  mustEqual('g.session_id', filter.sessionId);
  mustEqual('g.end_user', filter.user);
  mustEqual('g.key_user', filter.member);
  // The model that the record shows.
  mustEqual('coalesce(g.model, g.requested_model)', filter.model);
  mustEqual('g.provider', filter.provider);
  mustEqual('g.api_type', filter.api);
  if (filter.outcomes) filters.push(`${answeredOutcome('g')} = ANY(${parameters.add(filter.outcomes)}::text[])`);
  if (filter.minCost !== undefined) filters.push(`g.cost >= ${parameters.add(formatUsd(filter.minCost))}::numeric`);
  for (const tag of filter.tags ?? []) {
    const end = tag.indexOf('=');
    filters.push(`g.tags @> ${parameters.add(JSON.stringify({ [tag.slice(0, end)]: tag.slice(end + 1) }))}::jsonb`);
  }
  return filters;
}
