import type { Usage } from '../core/conversation/usage.js';
import { ENDINGS } from '../core/generation/ending.js';
import type { Generation } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import { usdNumber } from '../core/money/credits.js';
import { systemErrorOf } from '../core/system-error.js';
import { tenths } from '../core/time.js';

/** Limit of printed calls. Of a tool loop with many calls the last ones are printed: they led to its ending. */
const CALLS_PRINTED_MAX = 8;

/**
 * The part of a request's log line about its generation, as the middle of a JSON object: enumerated words, figures, and
 * names from the catalog. Where no call was made, the planned model is named.
 */
export function printGenerationFields(generation: Generation): string {
  const { id, request, calls, answer, plan, committedAt, beganAt, charged, bill } = generation;
  const leg = (answer ?? calls.at(-1))?.leg;
  const model = (leg ?? plan?.legs[0])?.model.id ?? plan?.models[0];
  let text = `,"generationId":"${id}"`;
  if (model !== undefined) text += `,"model":${JSON.stringify(model)}`;
  if (leg) text += `,"provider":${JSON.stringify(leg.endpoint.provider.slug)}`;
  text += `,"streamed":${request.stream}`;
  if (calls.length > 0) {
    let lead = ',"attempts":[';
    for (let index = Math.max(0, calls.length - CALLS_PRINTED_MAX); index < calls.length; index++) {
      text += lead + printCall(calls[index]!);
      lead = ',';
    }
    text += ']';
  }
  if (calls.length > CALLS_PRINTED_MAX) text += `,"attemptCount":${calls.length}`;
  if (request.stream && committedAt !== undefined) text += `,"firstTokenMs":${tenths(committedAt - beganAt)}`;
  text += printUsage(charged ?? generation.usage);
  if (bill) text += `,"costUsd":${usdNumber(bill.cost)}`;
  return text;
}

/**
 * `fault`: why it did not answer, in the words of the metric's `outcome`. `status`: of the provider. `code`: of the
 * system, such as `ECONNREFUSED`; only capitals and digits.
 */
function printCall({ leg, ending, fault, beganAt, endedAt, answeredStatus }: ProviderCall): string {
  let text = `{"provider":${JSON.stringify(leg.endpoint.provider.slug)},"model":${JSON.stringify(leg.model.id)}`;
  if (ending !== 'completed') text += `,"fault":"${ending ? ENDINGS[ending].outcome : 'under-way'}"`;
  const status = fault?.detail.status ?? answeredStatus;
  if (status !== undefined) text += `,"status":${status}`;
  const code = fault && systemErrorOf(fault)?.code;
  if (code !== undefined) text += `,"code":"${code}"`;
  return `${text},"ms":${tenths((endedAt ?? performance.now()) - beganAt)}}`;
}

/** The counted usage, where it is a number: values from providers are not trusted. */
function printUsage({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens = 0,
  cacheWrite1hTokens = 0,
}: Usage): string {
  const written = cacheWriteTokens + cacheWrite1hTokens;
  let text = '';
  if (Number.isFinite(inputTokens)) text += `,"inputTokens":${inputTokens}`;
  if (Number.isFinite(outputTokens)) text += `,"outputTokens":${outputTokens}`;
  if (Number.isFinite(cacheReadTokens) && cacheReadTokens !== 0) text += `,"cacheReadTokens":${cacheReadTokens}`;
  if (Number.isFinite(written) && written !== 0) text += `,"cacheWriteTokens":${written}`;
  return text;
}
