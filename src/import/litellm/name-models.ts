import { isRoutingSuffix } from '../../core/routing/model-name.js';
import { MODEL_ID } from '../../catalog/read-model.js';

/** The catalog's form of an alias. */
const ALIAS = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)?$/;
const OUTSIDE = /[^A-Za-z0-9._-]+/g;

/** The names of a model in the catalog. */
export interface ModelNaming {
  readonly id: string;
  readonly aliases: readonly string[];
}

/**
 * Makes ids from the names that clients use: a name that is a valid id is kept; another gets the provider as its
 * author, and becomes an alias where it is a valid one. Kept ids take precedence over made ones.
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

/** Whether the name is a valid alias. */
export const isAlias = (name: string): boolean => ALIAS.test(name);

const isId = (name: string): boolean => MODEL_ID.test(name) && !isRoutingSuffix(name.split(':')[1] ?? '');

/** The part of an id after the author: invalid characters become hyphens, and a variant is kept. */
function slugOf(name: string): string {
  const [base = '', variant = '', ...more] = name.split(':');
  // The last segment of a path, as in names of weights, names the model.
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
