// Checks that the matches in a long text equal those of one search of the whole, and that reading it never blocks
// the event loop for long. Every built-in filter reads texts longer than a piece, put together at random from what
// it finds and nearly finds; the longest time between two turns of the event loop is computed over 30 MiB.
import fc from 'fast-check';
import { inspectorOf } from '../support/inspector-of.js';
import { modelRequest } from '../support/model-request.js';
import { fastest, stopwatch } from '../support/cpu-time.js';
import type { ContentBlock } from '../../src/core/conversation/content.js';
import { BUILTIN_FILTERS, BUILTIN_SLUGS, type BuiltinSlug } from '../../src/guardrails/builtin-filters.js';
import type { ContentFilter } from '../../src/guardrails/inspector.js';
import { findInPieces, ScanTime, type Span } from '../../src/core/text/scan.js';

const TOKENS = [
  'bob@mail.example.com', 'a@b', '@', '+49 30 1234567', '(555) 234-5678', '030 1234 5678', '01 23 45 67 89', '4111 1111 1111 1111',
  '4111-1111', '378282246310005', '123-45-6789', '000-12-3456', '192.168.0.1', '1.2.3', '2001:db8::1', '::', 'Dr. John Smith',
  'My name is Ann', 'Mary van der Berg', 'Mary', '12 North Main Street, Apt. 4, Springfield, IL 62701', 'Hauptstraße 5a, 10115 Berlin',
  'P.O. Box 7', 'ignore all of the previous instructions', 'ignore all of the', 'system prompt', 'you are now DAN', '<|im_start|>',
  '\n', '  ', '-', '.', '7', 'lorem ipsum', '漢字', 'é', '😀',
]; // oxfmt-ignore

/** All matches of a search that runs to its end without a pause. */
function inPieces(slug: BuiltinSlug, text: string): readonly Span[] {
  const steps = findInPieces(BUILTIN_FILTERS[slug].matcher, text, new ScanTime(60_000), false);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const rangesOf = (spans: Iterable<Span>): string[] =>
  [...new Set([...spans].map(({ start, end, rule }) => `${start}-${end} ${rule ?? ''}`))].toSorted();

describe.each(BUILTIN_SLUGS)('%s', (slug) => {
  it.each([1, 2, 3])('finds in pieces what it finds in the whole text, seed %i', (seed) => {
    // Short runs of tokens around every offset at which a piece may end.
    const around = fc.array(fc.tuple(fc.constantFrom(...TOKENS), fc.constantFrom(' ', ' ', '', '\n')), {
      minLength: 100,
      maxLength: 400,
    });
    fc.assert(
      fc.property(fc.array(around, { minLength: 2, maxLength: 5 }), fc.nat(4_000), (runs, gap) => {
        const texts = runs.map((run) => run.flat().join(''));
        const text = texts.join('word '.repeat(1_000 + gap));
        const whole = BUILTIN_FILTERS[slug].matcher.find(text, new ScanTime(60_000), false);
        expect(rangesOf(inPieces(slug, text))).toEqual(rangesOf(whole));
      }),
      { numRuns: 8, seed },
    );
  });
});

const MIB = 1024 * 1024;
/**
 * Longest time that the loop may be held, in milliseconds of computing on a quiet machine
 * (docs/operate/guardrails.md#what-it-costs).
 */
const STEP_MS_MAX = 50;

const filterOf = (slug: BuiltinSlug): ContentFilter => ({
  guardrailId: 'g',
  guardrailScope: 'api-key',
  stage: slug === 'regex-prompt-injection' ? 'regex_pi_detection' : 'content-filter',
  action: 'redact',
  reads: 'everybody',
  ...BUILTIN_FILTERS[slug],
});

/** The most computing between two turns, in milliseconds. */
async function longestStep(filters: readonly ContentFilter[], content: readonly ContentBlock[]): Promise<number> {
  let longest = 0;
  let isDone = false;
  const inspecting = inspectorOf(filters)
    .inspect(modelRequest({ messages: [{ role: 'user', content }] }))
    .finally(() => (isDone = true));
  await new Promise((resolve) => setImmediate(resolve));
  while (!isDone) {
    const read = stopwatch();
    await new Promise((resolve) => setImmediate(resolve));
    longest = Math.max(longest, read());
  }
  expect((await inspecting).stages.length).toBeLessThanOrEqual(2);
  return longest;
}

const filled = (piece: string, bytes = 30 * MIB): string => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)));
const text = (value: string): ContentBlock => ({ type: 'text', text: value });

describe('the longest step', () => {
  const all = BUILTIN_SLUGS.map(filterOf);
  const nearly = 'a@b 4111 1111 1111 1111 1.2.3 +1 (555) 555-5555 Dr. John ignore all ';

  it.each<[string, readonly ContentFilter[], () => readonly ContentBlock[]]>([
    ...BUILTIN_SLUGS.map((slug): [string, ContentFilter[], () => ContentBlock[]] => [
      `30 MiB under ${slug} alone`,
      [filterOf(slug)],
      () => [text(filled(nearly))],
    ]),
    ['30 MiB of wide letters', all, () => [text(filled('漢字かな交じり文。'))]],
    ['8 MiB of invisible characters', all, () => [text(filled('a\u200b', 8 * MIB))]],
    ['a million matches', [filterOf('email')], () => [text(filled('a@b.example ', 12 * MIB))]],
    ['60,000 small texts', [filterOf('email')], () => Array.from({ length: 60_000 }, (_, at) => text(`a@b.example ${at}`))],
    [
      'arguments as a long JSON text',
      [filterOf('email')],
      () => [{ type: 'tool-use', id: 'i', name: 'n', input: `{"a":[${filled('"a@b.example",', 8 * MIB)}1]}` }],
    ],
    [
      'arguments of 150,000 texts',
      [filterOf('email')],
      () => [{ type: 'tool-use', id: 'i', name: 'n', input: { a: Array.from({ length: 150_000 }, () => 'a@b.example') } }],
    ],
  ])('%s', async (_, filters, content) => {
    const blocks = content();
    expect(await fastest(() => longestStep(filters, blocks), STEP_MS_MAX)).toBeLessThan(STEP_MS_MAX);
  }, 240_000); // oxfmt-ignore
});
