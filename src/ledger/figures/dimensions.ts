import { shortEndUser } from '../../core/end-user.js';
import { DIALECT_IDS } from '../../core/routing/catalog.js';
import { IS_TAG_NAME } from '../../shared/http/tag-validators.js';
import type { Detail } from './figure-columns.js';
import { API_TYPES } from '../generations/generation-columns.js';
import { ERROR_TYPES, errorTypeOf, OUTCOMES, statusOf } from '../generations/generation-outcomes.js';
import type { Parameters } from '../keyset-lists.js';

/** A property of generations by which figures can be grouped and filtered. */
export interface Dimension {
  /** Name of the dimension in `/analytics`; absent if it is the same as in `/activity`. */
  readonly analyticsName?: string;
  readonly label: string;
  /** SQL for the value in a row `f` of `generation_figures`; absent if only generations have this dimension. */
  readonly ofFigures?: string;
  /** The value of a generation `g`, where figures do not know it. @param argument what follows the colon of its name */
  readonly ofGeneration?: (parameters: Parameters, argument: string) => string;
  /** The condition by which an index finds the rows of a value: generations `g`, or figures `f` with this column. */
  readonly index?: (value: string, row: 'g' | 'f') => string;
  /** The least detail of figures that have it; absent: all have it. */
  readonly detail?: Detail;
  /** The table with the names of its values, its key, and the type of the key. */
  readonly readableBy?: { readonly table: string; readonly id: string; readonly type: string };
  readonly isNumber?: true;
  /** Every value that it may have. */
  readonly values?: readonly string[];
  /** The dimension is named `<name>:<argument>`; checks the argument. */
  readonly takesArgument?: (argument: string) => boolean;
  /** A value as records have it. */
  readonly asRecorded?: (value: string) => string;
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
    detail: 'key',
    readableBy: { table: 'api_keys', id: 'hash', type: 'char(64)' },
    index: (value: string, row: 'g' | 'f') => `${row}.key_hash = ${value}::text`,
  },
  member: { label: 'Member', ofFigures: 'f.member', detail: 'member' },
  user: {
    label: 'User',
    ofGeneration: () => 'g.end_user',
    asRecorded: shortEndUser,
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
    readableBy: { table: 'workspaces', id: 'id', type: 'uuid' },
  },
  tag: {
    label: 'Tag',
    takesArgument: (name: string) => IS_TAG_NAME.check(name),
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

/** The API whose names of dimensions are used. */
export type Naming = 'activity' | 'analytics';

const nameOf = (name: string, { analyticsName }: Dimension, naming: Naming): string =>
  naming === 'analytics' ? (analyticsName ?? name) : name;

/** The name as messages show it. */
export const printedName = (name: string, { takesArgument }: Dimension): string =>
  takesArgument ? `${name}:<name>` : name;

/** The names and dimensions, in their order. */
export const listDimensions = (naming: Naming): readonly (readonly [name: string, dimension: Dimension])[] =>
  Object.entries<Dimension>(DIMENSIONS).map(([name, dimension]) => [nameOf(name, dimension, naming), dimension]);

/** @returns undefined where there is none of this name */
export function findDimension(name: string, naming: Naming): NamedDimension | undefined {
  const end = name.indexOf(':');
  const [head, argument] = end < 0 ? [name] : [name.slice(0, end), name.slice(end + 1)];
  const found = listDimensions(naming).find(([known]) => known === head);
  if (!found) return undefined;
  const [, dimension] = found;
  const { takesArgument } = dimension;
  const fits = argument === undefined ? !takesArgument : takesArgument?.(argument) === true;
  return fits ? { name, dimension, argument: argument ?? '' } : undefined;
}

/** The reason for a refusal of `tag` or `tag:<name>`; undefined: the name is none of these. */
export function missingArgument(name: string, naming: Naming): string | undefined {
  const [head] = name.split(':', 1);
  const found = listDimensions(naming).find(([known, { takesArgument }]) => takesArgument && known === head);
  return found && `must be ${printedName(...found)}, where <name> is that of a ${head}, such as ${head}:team`;
}

/** A value of a filter as records have it. */
export const asRecorded = ({ dimension }: NamedDimension, value: string | number): string | number =>
  dimension.asRecorded && typeof value === 'string' ? dimension.asRecorded(value) : value;
