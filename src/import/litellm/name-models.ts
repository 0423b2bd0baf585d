import { isRoutingSuffix } from '../../core/routing/model-name.js';
import { MODEL_ID } from '../../catalog/read-model.js';

/** As the catalog takes them. */
const ALIAS = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)?$/;
const OUTSIDE = /[^A-Za-z0-9._-]+/g;

/** What a model is called in the catalog. */
export interface ModelNaming {
  readonly id: string;
  readonly aliases: readonly string[];
}

/**
 * Ids for the names that clients have: a name that is an id stays; another gets the provider in front, and is an alias
 * where it can be one. Ids that stand in the file win over those that are made.
 * @param names each with the slug of the provider that it gets where it has no author
 */
export function nameModels(names: readonly (readonly [name: string, provider: string])[]): readonly ModelNaming[] {
  const taken = new Set(names.flatMap(([name]) => (isId(name) ? [name] : [])));
  return names.map(([name, provider]) => {
    if (isId(name)) return { id: name, aliases: [] };
    const id = freeId(`${provider}/${slugOf(name)}`, taken);
    taken.add(id);
    return { id, aliases: isAlias(name) && !taken.has(name) ? [name] : [] };
  });
}

/** Whether the catalog can have it as a further name. */
export const isAlias = (name: string): boolean => ALIAS.test(name);

const isId = (name: string): boolean => MODEL_ID.test(name) && !isRoutingSuffix(name.split(':')[1] ?? '');

/** The part behind the author: what an id may not hold becomes hyphens, a variant stays one. */
function slugOf(name: string): string {
  const [base = '', variant = '', ...more] = name.split(':');
  // Of a path, as names of weights are, what stands last says what it is.
  const plain = clean(base.slice(base.lastIndexOf('/') + 1)) || 'model';
  if (variant === '') return plain;
  const isVariant = more.length === 0 && /^[a-z0-9][a-z0-9-]*$/.test(variant) && !isRoutingSuffix(variant);
  return isVariant ? `${plain}:${variant}` : `${plain}-${clean([variant, ...more].join('-'))}`;
}

const clean = (text: string): string => text.replace(OUTSIDE, '-').replace(/^[^A-Za-z0-9]+|-+$/g, '');

function freeId(id: string, taken: ReadonlySet<string>): string {
  const [base, variant] = id.split(':');
  for (let number = 2, free = id; ; number++) {
    if (!taken.has(free)) return free;
    free = `${base}-${number}${variant === undefined ? '' : `:${variant}`}`;
  }
}
