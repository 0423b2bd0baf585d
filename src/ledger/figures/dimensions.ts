import { DIALECT_IDS } from '../../core/routing/catalog.js';
import { API_TYPES } from '../generation-columns.js';
import { ERROR_TYPES, errorTypeOf, OUTCOMES, statusOf } from '../generation-outcomes.js';
import type { Parameters } from '../newest-first.js';

/** By what figures are grouped and filtered. */
export interface Dimension {
  /** As `/analytics` names it; absent: as `/activity` does. */
  readonly analyticsName?: string;
  readonly label: string;
  /** The value of a row `f` of figures; absent: only generations know it. */
  readonly ofFigures?: string;
  /** The value of a generation `g`, where figures do not know it. @param argument what follows the colon of its name */
  readonly ofGeneration?: (parameters: Parameters, argument: string) => string;
  /** The condition by which an index finds generations of one value. */
  readonly index?: (value: string) => string;
  /** Figures know it by key alone. */
  readonly isOfKey?: true;
  /** What a reader calls the value: a table, its key and the name in it. */
  readonly readableBy?: { readonly table: string; readonly id: string };
  readonly isNumber?: true;
  /** Every value that it may have. */
  readonly values?: readonly string[];
  /** Names begin with `<name>:` and name what is read. */
  readonly hasArgument?: true;
}

const indexedHash = (column: string) => (value: string) =>
  `${column} IS NOT NULL AND hashtextextended(${column}, 0) = hashtextextended(${value}::text, 0)`;

/** Every dimension, in the order in which it is shown. */
export const DIMENSIONS = {
  model: { label: 'Model', ofFigures: 'f.model' },
  provider: { label: 'Provider', ofFigures: 'f.provider' },
  endpoint: { label: 'Endpoint', ofFigures: 'f.endpoint' },
  key: {
    analyticsName: 'api_key_id',
    label: 'API key',
    ofFigures: 'f.key_hash',
    isOfKey: true,
    readableBy: { table: 'api_keys', id: 'hash' },
    index: (value: string) => `g.key_hash = ${value}::text`,
  },
  member: { label: 'Member', ofFigures: 'f.member', isOfKey: true },
  user: {
    label: 'User',
    ofGeneration: () => 'g.end_user',
    index: indexedHash('g.end_user'),
  },
  session: {
    label: 'Session',
    ofGeneration: () => 'g.session_id',
    index: indexedHash('g.session_id'),
  },
  workspace: {
    label: 'Workspace',
    ofFigures: 'f.workspace_id::text',
    readableBy: { table: 'workspaces', id: 'id' },
  },
  tag: {
    label: 'Tag',
    hasArgument: true,
    ofGeneration: (parameters: Parameters, name: string) => `g.tags ->> ${parameters.add(name)}::text`,
  },
  api: { label: 'API', ofFigures: 'f.api', values: API_TYPES },
  dialect: { label: 'Dialect', ofFigures: 'f.dialect', values: DIALECT_IDS },
  outcome: { label: 'Outcome', ofFigures: 'f.outcome', values: OUTCOMES },
  error_type: { label: 'Error type', ofFigures: errorTypeOf('f.outcome'), values: ERROR_TYPES },
  status: { label: 'Status', ofFigures: statusOf('f.outcome'), isNumber: true },
  generation: {
    analyticsName: 'generation_id',
    label: 'Generation',
    ofGeneration: () => 'g.id',
  },
} as const satisfies Readonly<Record<string, Dimension>>;

/** A dimension by the name that a caller uses. */
export interface NamedDimension {
  readonly name: string;
  readonly dimension: Dimension;
  /** Empty where the dimension takes none. */
  readonly argument: string;
}

/** By which names callers know dimensions. */
export type Naming = 'activity' | 'analytics';

const nameOf = (name: string, { analyticsName }: Dimension, naming: Naming): string =>
  naming === 'analytics' ? (analyticsName ?? name) : name;

/** The name as texts show it. */
export const printedName = (name: string, { hasArgument }: Dimension): string =>
  hasArgument ? `${name}:<name>` : name;

/** The names and dimensions, in their order. */
export const listDimensions = (naming: Naming): readonly (readonly [name: string, dimension: Dimension])[] =>
  Object.entries<Dimension>(DIMENSIONS).map(([name, dimension]) => [nameOf(name, dimension, naming), dimension]);

/** @returns undefined where there is none of this name */
export function findDimension(name: string, naming: Naming): NamedDimension | undefined {
  const [head = '', ...rest] = name.split(':');
  const argument = rest.join(':');
  const found = listDimensions(naming).find(([known]) => known === head);
  if (!found || (found[1].hasArgument === true) !== (argument !== '') || (rest.length > 0 && argument === ''))
    return undefined;
  return { name, dimension: found[1], argument };
}
