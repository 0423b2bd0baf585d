import type { Opaque } from '../../core/json/json.js';
import { shortened } from '../../core/shortened.js';
import type { Warning } from '../../core/warning.js';
import { DtoRules, type DtoClass } from '../../shared/http/dto-rules.js';
import { nearestName, suggestField } from '../../shared/http/nearest-name.js';
import { KNOWN_WORDS } from './known-words.js';

/** Maximum number of typing errors: fields that differ by more have a meaning elsewhere. */
const SLIPS_MAX = 2;
/** Maximum number of fields that are checked: a body may have any number. */
const LOOKED_AT_MAX = 64;

/**
 * The unknown top-level fields of a body that are similar to one of its face's.
 * @param extras the fields that no face declares
 */
export function misspeltFields({ value }: Opaque, dtoClass: DtoClass): readonly Warning[] {
  const { usable } = DtoRules.of(dtoClass);
  const warnings: Warning[] = [];
  for (const name of Object.keys(value).slice(0, LOOKED_AT_MAX)) {
    if (KNOWN_WORDS.has(name)) continue;
    const nearest = nearestName(name, usable, SLIPS_MAX);
    if (nearest !== undefined) warnings.push({ field: shortened(name), message: suggestField(name, [nearest]) });
  }
  return warnings;
}
