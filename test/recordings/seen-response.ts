import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator';
import { readFrames, type RawFrame } from '../support/sse.js';
import { responseGrammarFaults } from '../support/response-events.js';
import type { JsonBody } from '../support/recorded-request.js';

// A response as its caller sees it.

export interface SeenResponse {
  readonly body: JsonBody;
  readonly text: string;
  readonly refusal: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly status: string;
  readonly urls: readonly string[];
  readonly logprobs: number;
  /** All that would return to the provider in the next turn. */
  readonly returned: string;
}

const textOf = (parts: readonly JsonBody[], key = 'text'): string => parts.map((part) => part[key] ?? '').join('');

export function seeResponse(body: JsonBody): SeenResponse {
  const { output, status, incomplete_details: details }: JsonBody = body;
  const ofType = (type: string): JsonBody[] => output.filter((item: JsonBody) => item.type === type);
  const parts = ofType('message').flatMap(({ content }) => content as JsonBody[]);
  const reasoning = ofType('reasoning');
  return {
    body,
    text: textOf(parts),
    refusal: textOf(parts, 'refusal'),
    reasoning: reasoning.map(({ summary, content }) => textOf([...(content ?? []), ...summary])).join(''),
    calls: ofType('function_call').map(({ call_id: id, name, arguments: json }) => ({ id, name, arguments: json })),
    status: details ? `${status}: ${details.reason}` : status,
    urls: parts.flatMap(({ annotations = [] }) => annotations.flatMap(({ url }: JsonBody) => url ?? [])),
    logprobs: parts.reduce((sum, part) => sum + (part.logprobs?.length ?? 0), 0),
    returned: [...output.map((item: unknown) => JSON.stringify(item)), ...reasoning.map(opened)].join('\n'),
  };
}

/** The content of a proof, which the gateway wraps (docs/use/responses.md#reasoning), and of what that wraps. */
function opened({ encrypted_content: token = '' }: JsonBody): string {
  const found: string[] = [];
  const add = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) Object.values(value).forEach(add);
    if (typeof value !== 'string') return;
    found.push(value);
    for (const word of value.split('.')) {
      const inner = Buffer.from(word, 'base64').toString('utf8');
      if (word.length < 40 || inner.includes('\ufffd')) continue;
      if (/^[[{]/.test(inner)) add(JSON.parse(inner));
      else found.push(inner);
    }
  };
  add(token);
  return found.join('\n');
}

export interface SeenStream {
  readonly faults: readonly string[];
  /** The response in the last event. */
  readonly last: JsonBody;
  /** What OpenAI's own client has of the response before the last event replaces it. */
  readonly assembled: JsonBody;
}

/** @throws where OpenAI's client does */
export function seeStream(text: string): SeenStream {
  const frames: RawFrame[] = readFrames(text);
  const events: JsonBody[] = frames
    .filter(({ data }) => data !== undefined && data !== '[DONE]')
    .map(({ data }) => JSON.parse(data!));
  let assembled: JsonBody;
  for (const event of events.slice(0, -1)) assembled = accumulateResponse(event as never, assembled as never);
  return { faults: responseGrammarFaults(frames), last: events.at(-1).response, assembled };
}
