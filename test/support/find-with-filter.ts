import { findInPieces, ScanTime, type Matcher, type Span } from '../../src/core/text/scan.js';
import { BUILTIN_FILTERS, type BuiltinSlug } from '../../src/guardrails/builtin-filters.js';

/** Runs to the end, in one go. */
function findAll(matcher: Matcher, text: string, time: ScanTime, firstOnly: boolean): readonly Span[] {
  const steps = findInPieces(matcher, text, time, firstOnly);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The matches of a filter in a text. */
export const findWithFilter = (slug: BuiltinSlug, text: string): readonly string[] =>
  findAll(BUILTIN_FILTERS[slug].matcher, text, new ScanTime(60_000), false).map(({ start, end }) =>
    text.slice(start, end),
  );
