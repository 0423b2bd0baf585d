import { GatewayError } from '../core/errors.js';
import { shortened } from '../core/shortened.js';
import { PROMPT_INJECTION } from './builtin-filters.js';
import { compilePattern, PatternRefused, PROGRAM_MAX } from './custom-pattern.js';
import type { BuiltinEntry, CustomFilter, GuardrailTerms } from './guardrail.entity.js';

// Chosen: the maximum cost of the filters of one guardrail.
/** Characters of all patterns of a guardrail together. */
const CHARACTERS_MAX = 200_000;
/** Instructions of all their compiled programs. Plain text compiles to none. */
const INSTRUCTIONS_MAX = 10_000;
const SMALLER = 'use fewer counted repetitions and alternatives';

/**
 * Checks of content filters that a schema cannot express.
 * @throws GatewayError `invalid-request` naming the field; for a pattern its reason begins with `invalid_regex_pattern`
 */
export function assertFilters({ contentFilters, contentFilterBuiltins }: Partial<GuardrailTerms>): void {
  assertPatterns(contentFilters ?? []);
  (contentFilterBuiltins ?? []).forEach(assertBuiltin);
}

function assertPatterns(filters: readonly CustomFilter[]): void {
  let characters = 0;
  let instructions = 0;
  filters.forEach(({ pattern }, index) => {
    characters += pattern.length;
    if (characters > CHARACTERS_MAX)
      throw refused(index, `the patterns together have more than ${CHARACTERS_MAX} characters`);
    const size = sizeOf(pattern, index);
    if (size > PROGRAM_MAX) throw refused(index, `compiles to more than ${PROGRAM_MAX} instructions; ${SMALLER}`);
    instructions += size;
    if (instructions > INSTRUCTIONS_MAX)
      throw refused(index, `the patterns together compile to more than ${INSTRUCTIONS_MAX} instructions; ${SMALLER}`);
  });
}

function sizeOf(pattern: string, index: number): number {
  try {
    return compilePattern(pattern).size;
  } catch (error) {
    if (error instanceof PatternRefused) throw refused(index, shortened(error.message));
    throw error;
  }
}

const refused = (index: number, reason: string): GatewayError =>
  new GatewayError('invalid-request', `content_filters.${index}.pattern: invalid_regex_pattern: ${reason}`);

function assertBuiltin({ slug, action, scan_scope }: BuiltinEntry, index: number): void {
  if (slug === PROMPT_INJECTION) return;
  const path = `content_filter_builtins.${index}`;
  if (action === 'flag')
    throw new GatewayError(
      'invalid-request',
      `${path}.action: flag is for ${PROMPT_INJECTION} only; use redact or block`,
    );
  if (scan_scope !== undefined)
    throw new GatewayError('invalid-request', `${path}.scan_scope: is for ${PROMPT_INJECTION} only; leave it out`);
}
