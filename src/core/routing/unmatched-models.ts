import { shortened } from '../shortened.js';
import type { Warning } from '../warning.js';
import type { CatalogSnapshot } from './catalog.js';
import { readModelName } from './model-name.js';
import { matchesModel } from './model-pattern.js';
import { nearestModels, resolveModel } from './resolve-model.js';

/** Limit of named entries: a list may be long. */
const NAMED_MAX = 8;

/** The entries of a model list (ids, other names, patterns over ids) that match no model of the catalog. */
export function unmatchedModels(
  field: string,
  entries: readonly string[] | null | undefined,
  catalog: Pick<CatalogSnapshot, 'models'>,
): readonly Warning[] {
  const warnings: Warning[] = [];
  for (const entry of entries ?? []) {
    if (fitsAny(entry, catalog)) continue;
    const nearest = entry.includes('*') ? [] : nearestModels(catalog, entry);
    const meant = nearest.length > 0 ? `; the nearest: ${nearest.join(', ')}` : '';
    warnings.push({ field, message: `${JSON.stringify(shortened(entry))} fits no model of the catalog${meant}` });
    if (warnings.length === NAMED_MAX) break;
  }
  return warnings;
}

function fitsAny(entry: string, catalog: Pick<CatalogSnapshot, 'models'>): boolean {
  if (!entry.includes('*')) return resolveModel(catalog, readModelName(entry).id) !== undefined;
  for (const id of catalog.models.keys()) if (matchesModel(entry, id)) return true;
  return false;
}
