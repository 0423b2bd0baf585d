import OpenAI from 'openai';
import type { JsonBody } from './recorded-request.js';
import { readFrames, type RawFrame } from './sse.js';

// Reads streams of the responses format independently of the code under test, by the grammar of docs/use/responses.md.

/** The events that end a stream. */
const ENDS = ['response.completed', 'response.incomplete', 'response.failed'];

/** An open item, by its index in `output`. */
interface OpenItem {
  readonly id: string;
  readonly type: string;
  /** The text so far of the open part or argument, by the name of its index. */
  readonly texts: Map<string, string>;
  /** Parts that have ended. */
  readonly ended: Set<string>;
  /** True after the event that reports the tool's completion. */
  hasRun: boolean;
}

/** Pieces and their ends, and the field in which the end repeats the whole. */
const TEXTS: Readonly<Record<string, string>> = {
  'response.output_text': 'text',
  'response.refusal': 'refusal',
  'response.reasoning_text': 'text',
  'response.reasoning_summary_text': 'text',
  'response.function_call_arguments': 'arguments',
  'response.custom_tool_call_input': 'input',
  'response.apply_patch_call_operation_diff': 'diff',
};
/** Items whose tools are reported to have run, unless they failed. */
const RUNNING = new Set(['web_search_call', 'image_generation_call']);
/** Texts that a part has when an event begins it. */
const PARTED = new Set([
  'response.output_text',
  'response.refusal',
  'response.reasoning_text',
  'response.reasoning_summary_text',
]);

/** Violations of the grammar, one sentence each. */
export function responseGrammarFaults(frames: readonly RawFrame[]): string[] {
  const grammar = new ResponseGrammar();
  for (const frame of frames) grammar.see(frame);
  grammar.finish();
  return grammar.faults;
}

class ResponseGrammar {
  readonly faults: string[] = [];
  private count = 0;
  private items = 0;
  private readonly open = new Map<number, OpenItem>();
  private hasEnded = false;
  private isOver = false;

  see({ event, data }: RawFrame): void {
    if (data === undefined) return;
    this.expect(!this.isOver, `${event || data} follows the sentinel`);
    if (data === '[DONE]') {
      this.expect(event === '' && this.hasEnded, 'the sentinel is named, or comes before the end');
      this.isOver = true;
      return;
    }
    const value: JsonBody = JSON.parse(data);
    this.expect(value.type === event, `the event ${event} holds the type ${value.type}`);
    this.expect(value.sequence_number === this.count, `${event} has the number ${value.sequence_number}`);
    this.expect(!('error' in value), `${event} has a top-level error`);
    this.expect(!this.hasEnded, `${event} follows the end`);
    const due = ['response.created', 'response.in_progress'][this.count];
    this.expect(due === undefined || event === due, `${event} comes where ${due} is due`);
    this.count++;
    this.seeEvent(event, value);
  }

  finish(): void {
    this.expect(this.isOver, 'the stream has no sentinel');
  }

  private seeEvent(event: string, value: JsonBody): void {
    if (ENDS.includes(event)) {
      this.hasEnded = true;
      this.expect(event === `response.${value.response.status}`, `${event} holds the status ${value.response.status}`);
      if (event !== 'response.failed') {
        this.expect(this.open.size === 0, 'the response ends with an open item');
        this.expect(value.response.output.length === this.items, 'the response lacks items');
      }
      return;
    }
    if (event === 'response.output_item.added') {
      this.expect(value.output_index === this.items++, 'the indices of items do not rise by one');
      const { id, type } = value.item;
      this.open.set(value.output_index, { id, type, texts: new Map(), ended: new Set(), hasRun: false });
      return;
    }
    if (!('output_index' in value)) return;
    const item = this.open.get(value.output_index);
    if (!item) return this.expect(false, `${event} has no open item`);
    if (event === 'response.output_item.done') {
      this.expect(value.item.id === item.id && value.item.type === item.type, 'an item ends as another one');
      const hasRun = value.item.status === 'completed';
      this.expect(!RUNNING.has(item.type) || item.hasRun === hasRun, `${item.type} ends with ${value.item.status}`);
      this.expect(item.texts.size === 0, `an item ends inside ${[...item.texts.keys()].join()}`);
      this.open.delete(value.output_index);
      return;
    }
    this.expect(value.item_id === item.id, `${event} names the item ${value.item_id}`);
    if (event === `response.${item.type}.completed`) item.hasRun = true;
    this.seeText(event, value, item);
  }

  private seeText(event: string, value: JsonBody, item: OpenItem): void {
    const partKey = `${value.content_index ?? ''}/${value.summary_index ?? ''}`;
    if (/(?:content|summary)_part\.added$/.test(event)) {
      item.texts.set(partKey, '');
      return;
    }
    if (/(?:content|summary)_part\.done$/.test(event)) {
      this.expect(item.ended.has(partKey), `${event} precedes the end of its text`);
      item.texts.delete(partKey);
      return;
    }
    const name = event.slice(0, event.lastIndexOf('.'));
    const field = TEXTS[name];
    if (field === undefined) return;
    if (PARTED.has(name)) this.expect(item.texts.has(partKey), `${event} stands in no part`);
    if (name === 'response.output_text') this.expect(Array.isArray(value.logprobs), `${event} has no logprobs`);
    if (event.endsWith('.delta')) item.texts.set(partKey, (item.texts.get(partKey) ?? '') + value.delta);
    else {
      this.expect((item.texts.get(partKey) ?? '') === value[field], `${event} repeats another text than came`);
      item.ended.add(partKey);
      if (!PARTED.has(name)) item.texts.delete(partKey);
    }
  }

  private expect(isAllowed: boolean, fault: string): void {
    if (!isAllowed) this.faults.push(fault);
  }
}

/** The parsed events of a stream. @throws when the grammar is violated */
export function readResponseEvents(stream: string | Uint8Array): JsonBody[] {
  const frames = readFrames(stream);
  const faults = responseGrammarFaults(frames);
  if (faults.length > 0) throw new Error(`The stream breaks the grammar of responses:\n${faults.join('\n')}`);
  return frames.filter(({ data }) => data !== undefined && data !== '[DONE]').map(({ data }) => JSON.parse(data!));
}

/** The response that OpenAI's own client assembles from the events. */
export async function assembledByOpenai(stream: string | Uint8Array): Promise<JsonBody> {
  const text = typeof stream === 'string' ? stream : Buffer.from(stream).toString();
  const client = new OpenAI({
    apiKey: 'k',
    maxRetries: 0,
    fetch: () => Promise.resolve(new Response(text, { headers: { 'content-type': 'text/event-stream' } })),
  });
  return client.responses.stream({ model: 'm', input: 'i' }).finalResponse();
}
