import { isDeepStrictEqual } from 'node:util';
import type { JsonBody } from '../support/recorded-request.js';
import type { ExpectedCall, ExpectedResponse } from './expected-response.js';
import type { Harness, RecordedUsage } from './harness.js';
import type { SeenResponse } from './seen-response.js';

/** One difference between a response and the reading of its recording. */
export interface Difference {
  readonly what: string;
  readonly detail: string;
}

const EPSILON_USD = 1e-9;
const DETAIL_MAX = 240;

const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > DETAIL_MAX ? `${text.slice(0, DETAIL_MAX)}…(${text.length})` : text;
};
export const differs = (what: string, expected: unknown, seen: unknown): Difference => ({
  what,
  detail: `expected ${short(expected)} seen ${short(seen)}`,
});
const unlessEqual = (what: string, expected: unknown, seen: unknown): Difference[] =>
  isDeepStrictEqual(expected, seen) ? [] : [differs(what, expected, seen)];
const unlessIn = (what: string, allowed: readonly unknown[], seen: unknown): Difference[] =>
  allowed.includes(seen) ? [] : [differs(what, allowed[0], seen)];
const dense = (text: string): string => text.replaceAll(/\s+/g, '');

export function compareResponse(expected: ExpectedResponse, seen: SeenResponse, price: Harness['price']): Difference[] {
  const usage = compareUsage(expected.usages, seen.body.usage, price);
  if (!expected.statuses) return usage;
  return [
    ...usage,
    ...compareText(expected, seen),
    ...(expected.refusal === undefined ? [] : unlessEqual('refusal', expected.refusal, seen.refusal)),
    ...compareReasoning(expected, seen),
    ...compareCalls(expected.calls, seen),
    ...unlessIn('status', expected.statuses, seen.status),
    ...compareProofs(expected, seen),
    ...compareUrls(expected, seen),
    ...(expected.logprobs === undefined ? [] : unlessEqual('logprobs', expected.logprobs, seen.logprobs)),
    ...unlessEqual('images', expected.images, imagesOf(seen)),
  ];
}

const imagesOf = ({ body }: SeenResponse): number =>
  body.output.filter(({ type, result }: JsonBody) => type === 'image_generation_call' && result).length;

/** Several runs of text may be joined in any way. */
function compareText({ texts, runs, refusal }: ExpectedResponse, { text }: SeenResponse): Difference[] {
  if (refusal === undefined && texts[0] === '') return [];
  if (!texts.some((one) => (runs.length > 1 ? dense(one) === dense(text) : one === text)))
    return [differs('text', texts[0], text)];
  return runs.filter((run) => !text.includes(run)).map((run) => differs('run of text', run, text));
}

const compareReasoning = ({ reasonings }: ExpectedResponse, { reasoning }: SeenResponse): Difference[] =>
  reasonings.some((one) => dense(one) === dense(reasoning)) ? [] : [differs('reasoning', reasonings[0], reasoning)];

const argumentsOf = (json: string): unknown => {
  if (json === '') return {};
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
};

function compareCalls(expected: readonly ExpectedCall[], { calls }: SeenResponse): Difference[] {
  if (expected.length !== calls.length) return [differs('tools', expected, calls)];
  return expected.flatMap((call, index) => {
    const seen = calls[index]!;
    return [
      ...unlessEqual('tool name', call.name, seen.name),
      ...(call.id ? unlessEqual('tool id', call.id, seen.id) : []),
      ...unlessEqual('tool arguments', argumentsOf(call.arguments), argumentsOf(seen.arguments)),
    ];
  });
}

function compareProofs({ proofs }: ExpectedResponse, { returned }: SeenResponse): Difference[] {
  const lost = proofs.filter(({ value }) => !returned.includes(value));
  return lost.map(({ what, value }) => differs(what, value, `nothing in ${returned.length} characters`));
}

function compareUrls({ urls, otherUrls }: ExpectedResponse, seen: SeenResponse): Difference[] {
  if (!otherUrls) return unlessEqual('citations', urls, seen.urls);
  const lacking = urls.filter((url) => !seen.urls.includes(url));
  const foreign = seen.urls.filter((url) => !urls.includes(url) && !otherUrls.has(url));
  return [...unlessEqual('citations', [], lacking), ...unlessEqual('citations that nobody gave', [], foreign)];
}

/** Compares with the nearest of several readings. */
function compareUsage(expected: readonly RecordedUsage[], usage: JsonBody, price: Harness['price']): Difference[] {
  const attempts = expected.map((one) => compareFigures(one, usage, price));
  return attempts.toSorted((one, other) => one.length - other.length)[0] ?? [];
}

function compareFigures(expected: RecordedUsage, usage: JsonBody, price: Harness['price']): Difference[] {
  const { cached_tokens: cached, cache_write_tokens: written } = usage.input_tokens_details;
  const searches = expected.searches ?? usage.server_tool_use_details?.web_search_requests ?? 0;
  const due = price({ ...expected, searches });
  const isPriced = typeof usage.cost === 'number' && Math.abs(usage.cost - due) <= EPSILON_USD;
  return [
    ...unlessEqual('usage.input', expected.input, usage.input_tokens - cached - written),
    ...unlessEqual('usage.output', expected.output, usage.output_tokens),
    ...unlessEqual('usage.cacheRead', expected.cacheRead, cached),
    ...unlessEqual('usage.cacheWrite', expected.write5m + expected.write1h, written),
    ...(expected.reasoning === undefined ? [] : unlessEqual('usage.reasoning', expected.reasoning, usage.output_tokens_details.reasoning_tokens)),
    ...unlessEqual('usage.total', usage.input_tokens + usage.output_tokens, usage.total_tokens),
    ...(isPriced ? [] : [differs('cost', due, usage.cost)]),
  ]; // oxfmt-ignore
}
