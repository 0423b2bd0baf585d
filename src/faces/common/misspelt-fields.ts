import { isEmptyJson, type Opaque } from '../../core/json/json.js';
import { shortened } from '../../core/shortened.js';
import type { Warning } from '../../core/warning.js';
import { DtoRules, type DtoClass } from '../../shared/http/dto-rules.js';
import { nearestName, suggestField } from '../../shared/http/nearest-name.js';
import { KNOWN_FIELDS } from './known-fields.js';

/** Maximum edit distance: a field that differs by more is probably a field of another API. */
const SLIPS_MAX = 2;
/** Maximum number of fields that are checked: a body may have any number. */
const CHECKED_MAX = 64;

/** A field of `/messages` alone. Callers of other faces send it because they expect it to name further models. */
const FALLBACKS = 'fallbacks';
const NOT_FALLBACKS = 'is a field of /messages and has no effect here; name further models in models';

/**
 * Warnings for unknown top-level fields that resemble a field of this face, and for `fallbacks` if the face does not
 * have it.
 * @param extras the fields that no face declares
 */
export function misspeltFields({ value }: Opaque, dtoClass: DtoClass): readonly Warning[] {
  const { usable } = DtoRules.of(dtoClass);
  const warnings: Warning[] = [];
  for (const name of Object.keys(value).slice(0, CHECKED_MAX)) {
    if (name === FALLBACKS && !usable.includes(name) && !isEmptyJson(value[name]))
      warnings.push({ field: FALLBACKS, message: NOT_FALLBACKS });
    if (KNOWN_FIELDS.has(name)) continue;
    const nearest = nearestName(name, usable, SLIPS_MAX);
    if (nearest !== undefined) warnings.push({ field: shortened(name), message: suggestField(name, [nearest]) });
  }
  return warnings;
}
