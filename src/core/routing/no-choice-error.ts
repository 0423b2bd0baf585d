import { GatewayError } from '../errors.js';
import { printWarning, type Warning } from '../warning.js';
import { AVAILABILITY_CODES, availabilityCode, EXCLUSION_MEANINGS } from './availability.js';
import { DOCS_URL, MODEL_SHOWN_CHARACTERS_MAX } from './no-route-error.js';
import type { Exclusion } from './plan.js';

/** Number of models that were left out for each reason. */
export type LeftOut = Readonly<Record<string, number>>;

const EXCLUSIONS_SHOWN_MAX = 20;

/**
 * The error for a router without a model left: 404, with the number of models left out for each reason
 * (docs/use/tools-and-plugins.md#no-model-is-left).
 * @param name the requested name
 * @param removed candidate models that cannot answer
 * @param unmatched entries of the list to choose from that match no model
 */
export function noChoiceError(
  name: string,
  leftOut: LeftOut,
  removed: readonly Exclusion[],
  unmatched: readonly Warning[] = [],
): GatewayError {
  const shown = name.slice(0, MODEL_SHOWN_CHARACTERS_MAX);
  const counts = Object.entries(leftOut)
    .sort(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${count} ${reason}`);
  const codes = new Set(removed.map(availabilityCode));
  const code = AVAILABILITY_CODES.findLast((candidate) => codes.has(candidate)) ?? 'constraint_filtered';
  const excludedBy = new Set(removed.flatMap(({ reason }) => EXCLUSION_MEANINGS[reason].excludedBy ?? []));
  const sentences = [
    `No model is left for ${shown}: ${counts.join(', ') || 'none is known'}.`,
    ...unmatched.map((warning) => `${printWarning(warning)}.`),
  ];
  return new GatewayError('not-found', sentences.join(' '), {
    metadata: {
      left_out: leftOut,
      ...(unmatched.length > 0 && { unmatched: unmatched.map(({ field, message }) => ({ field, message })) }),
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
