import { GatewayError } from '../errors.js';
import { AVAILABILITY_CODES, availabilityCode, EXCLUSION_MEANINGS } from './availability.js';
import { DOCS_URL, MODEL_SHOWN_CHARACTERS_MAX } from './no-route-error.js';
import type { Exclusion } from './plan.js';

/** How many models were left out for one reason. */
export type LeftOut = Readonly<Record<string, number>>;

const EXCLUSIONS_SHOWN_MAX = 20;

/**
 * What the caller is told where a router has no model left: 404 that says what removed how many
 * (docs/wire/tools-and-plugins.md#nothing-left).
 * @param name as it was asked for
 * @param removed models that came into question and cannot answer
 */
export function noChoiceError(name: string, leftOut: LeftOut, removed: readonly Exclusion[]): GatewayError {
  const shown = name.slice(0, MODEL_SHOWN_CHARACTERS_MAX);
  const counts = Object.entries(leftOut)
    .sort(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${count} ${reason}`);
  const codes = new Set(removed.map(availabilityCode));
  const code = AVAILABILITY_CODES.findLast((one) => codes.has(one)) ?? 'constraint_filtered';
  const excludedBy = new Set(removed.flatMap(({ reason }) => EXCLUSION_MEANINGS[reason].excludedBy ?? []));
  return new GatewayError('not-found', `No model is left for ${shown}: ${counts.join(', ') || 'none is known'}.`, {
    metadata: {
      left_out: leftOut,
      excluded: removed
        .slice(0, EXCLUSIONS_SHOWN_MAX)
        .map(({ model, reason, detail }) => ({ model, reason, ...(detail !== undefined && { detail }) })),
    },
    availability: {
      code,
      retryable: false,
      requested_models: [shown],
      docs_url: DOCS_URL,
      ...(excludedBy.size > 0 && { excluded_by: [...excludedBy] }),
    },
  });
}
