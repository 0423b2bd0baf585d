import type { JsonBody } from './recorded-request.js';
import { CUT, frame, json, sse, type Script } from './upstream-answers.js';

// Ready-made answers of an upstream of the responses format, written from the provider's public documentation;
// doubles/openai-responses.ts defines its refusals.

const USAGE = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 19,
};

/** Answers with these items, streamed when the body requests it: words, summaries and arguments in two pieces. */
export function responsesReply(items: readonly JsonBody[], more: object = {}): Script {
  return ({ json: body }) => {
    const head = { id: 'resp_loopback', object: 'response', created_at: 1_700_000_000, model: body.model, error: null };
    const whole = { ...head, status: 'completed', incomplete_details: null, output: items, usage: USAGE, ...more };
    if (body.stream !== true) return json(whole);
    const begun = { ...head, status: 'in_progress', output: [], usage: null };
    const events: JsonBody[] = [{ type: 'response.created', response: begun }];
    for (const [index, item] of items.entries()) events.push(...itemEvents(item, index));
    events.push({ type: 'response.completed', response: whole });
    return sse(events.map((event, sequence_number) => frame(event.type, { ...event, sequence_number })));
  };
}

/** A short text. */
export const responsesText = (text: string): Script => responsesReply([messageItem(text)]);

/** A stream that breaks off after these words. */
export const responsesCut =
  (delta: string): Script =>
  ({ json: { model } }) => {
    const at = { item_id: 'msg_1', output_index: 0 };
    const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    const events = [
      { type: 'response.created', response: { id: 'resp_loopback', model, output: [], status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_text.delta', ...at, content_index: 0, delta },
    ];
    return sse([...events.map((event, sequence_number) => frame(event.type, { ...event, sequence_number })), CUT]);
  };

export const messageItem = (text: string, more: object = {}): JsonBody => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
  ...more,
});

function itemEvents(item: JsonBody, output_index: number): JsonBody[] {
  const at = { item_id: item.id, output_index };
  const grown = (type: string, text: string, beside: object = {}): JsonBody[] => {
    const half = Math.ceil(text.length / 2);
    return [text.slice(0, half), text.slice(half)].map((delta) => ({ type, ...at, ...beside, delta }));
  };
  const inner = {
    message: () =>
      item.content.flatMap(({ text, refusal, annotations = [] }: JsonBody, content_index: number) =>
        refusal !== undefined
          ? grown('response.refusal.delta', refusal, { content_index })
          : [
              ...grown('response.output_text.delta', text, { content_index }),
              ...annotations.map((annotation: JsonBody, annotation_index: number) => ({
                type: 'response.output_text.annotation.added',
                ...at,
                content_index,
                annotation_index,
                annotation,
              })),
            ],
      ),
    reasoning: () =>
      item.summary.flatMap(({ text }: JsonBody, summary_index: number) =>
        grown('response.reasoning_summary_text.delta', text, { summary_index }),
      ),
    function_call: () => grown('response.function_call_arguments.delta', item.arguments),
  }[item.type as 'message'];
  const empty = { ...item, ...(item.content && { content: [] }), ...(item.summary && { summary: [] }) };
  return [
    { type: 'response.output_item.added', output_index, item: item.arguments === undefined ? empty : { ...item, arguments: '' } },
    ...(inner?.() ?? []),
    { type: 'response.output_item.done', output_index, item },
  ]; // oxfmt-ignore
}
