/** A reply as it is displayed, while it arrives and afterwards. */
export interface Reply {
  readonly text: string;
  readonly reasoning: string;
  /** Uses of tools, in the order of their indexes in the format. */
  readonly tools: readonly ToolUse[];
  readonly usage?: unknown;
  readonly metadata?: unknown;
  /** An error behind the beginning. */
  readonly error?: string;
  readonly events: readonly Json[];
}

/** A use of a tool, or its result. */
export interface ToolUse {
  readonly place: string;
  readonly name: string;
  readonly content: string;
}

/** An event of a stream. */
export type Json = Readonly<Record<string, unknown>>;

/** Value at a path in an event; undefined where a part of the path is absent. */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce((place: unknown, name) => (place as Json | null | undefined)?.[name], value);

/** The value at a path as a text; empty if it is not a text. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : typeof found === 'number' ? String(found) : '';
}

export const EMPTY_REPLY: Reply = { text: '', reasoning: '', tools: [], events: [] };

/** The reply with one more event, of any of the formats: no two of them use one word for different things. */
export function withEvent(before: Reply, event: Json): Reply {
  const reply = { ...before, events: [...before.events, event], ...facts(event) };
  const [choice] = (at(event, 'choices') ?? []) as readonly unknown[];
  if (choice !== undefined) return withDelta(reply, at(choice, 'delta'));
  return textAt(event, 'type').startsWith('response.')
    ? withResponsesEvent(reply, event)
    : withMessagesEvent(reply, event);
}

/** Members with one name in all formats, in the event or in the object that it wraps. */
function facts(event: Json): Partial<Reply> {
  const places = [event, at(event, 'message'), at(event, 'response')];
  const of = (name: string): unknown => places.map((place) => at(place, name)).find(Boolean);
  const [usage, metadata, error] = [of('usage'), of('router_metadata'), of('error')];
  return {
    ...(usage !== undefined && { usage }),
    ...(metadata !== undefined && { metadata }),
    ...(error !== undefined && { error: textAt(error, 'message') || JSON.stringify(error) }),
  };
}

const added = (reply: Reply, text: string, reasoning: string): Reply => ({
  ...reply,
  text: reply.text + text,
  reasoning: reply.reasoning + reasoning,
});

function withMessagesEvent(reply: Reply, event: Json): Reply {
  const place = `block ${textAt(event, 'index')}`;
  if (event['type'] === 'content_block_start') {
    const block = at(event, 'content_block');
    const kind = textAt(block, 'type');
    if (kind === 'text' || kind === 'thinking') return added(reply, textAt(block, 'text'), textAt(block, 'thinking'));
    // The input of a use comes in pieces; a result is whole.
    const content = at(block, 'input') === undefined ? printed(block) : '';
    return withTool(reply, { place, name: textAt(block, 'name') || kind, content });
  }
  const delta = at(event, 'delta');
  const called = withTool(reply, { place, name: '', content: textAt(delta, 'partial_json') });
  return added(called, textAt(delta, 'text'), textAt(delta, 'thinking'));
}

function withDelta(reply: Reply, delta: unknown): Reply {
  const calls = (at(delta, 'tool_calls') ?? []) as readonly unknown[];
  return calls.reduce(
    (next: Reply, call) =>
      withTool(next, {
        place: `call ${textAt(call, 'index')}`,
        name: textAt(call, 'function', 'name'),
        content: textAt(call, 'function', 'arguments'),
      }),
    added(reply, textAt(delta, 'content'), textAt(delta, 'reasoning')),
  );
}

const REASONING_DELTA = /^response\.reasoning\w*\.delta$/;

function withResponsesEvent(reply: Reply, event: Json): Reply {
  const type = textAt(event, 'type');
  if (type === 'response.output_text.delta') return added(reply, textAt(event, 'delta'), '');
  if (REASONING_DELTA.test(type)) return added(reply, '', textAt(event, 'delta'));
  const item = at(event, 'item');
  const kind = textAt(item, 'type');
  if (type !== 'response.output_item.done' || kind === 'message' || kind === 'reasoning') return reply;
  const place = `item ${textAt(event, 'output_index')}`;
  return withTool(reply, { place, name: textAt(item, 'name') || kind, content: printed(item) });
}

export const printed = (value: unknown): string => JSON.stringify(value, null, 2);

/** Adds to a use of a tool, or begins it. */
function withTool(reply: Reply, { place, name, content }: ToolUse): Reply {
  const known = reply.tools.find((one) => one.place === place);
  if (!known && name === '') return reply;
  const tools = known
    ? reply.tools.map((one) => (one === known ? { ...one, content: one.content + content } : one))
    : [...reply.tools, { place, name, content }];
  return { ...reply, tools };
}

/** The events of a stream, without its end mark and its comments. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Json> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const frames = (rest + value).split('\n\n');
    rest = frames.pop()!;
    for (const frame of frames) {
      const data = frame
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trim())
        .join('\n');
      if (data !== '' && data !== '[DONE]') yield JSON.parse(data) as Json;
    }
  }
}
