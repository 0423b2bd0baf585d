// Checks that a stream of the vendor's own format passes through decoder and printer without loss, wherever chunks
// are cut. The stream is written from the vendor's public documentation and cut anywhere by fast-check; the frames
// of the content are compared.
import { generationView } from '../support/generation-view.js';
import { decodeContext } from '../support/decode-context.js';
import fc from 'fast-check';
import type { ModelEvent } from '../../src/core/conversation/event.js';
import { chain } from '../../src/core/stream/stream-stage.js';
import { SseReader, writeFrame, type SseFrame } from '../../src/core/stream/sse.js';
import { MessageFrames } from '../../src/faces/messages/frames.js';
import { MessagesDecoder } from '../../src/providers/dialects/anthropic-messages/decode.js';

const usage = {
  input_tokens: 5,
  output_tokens: 1,
  cache_creation_input_tokens: 2,
  cache_read_input_tokens: 0,
  service_tier: 'standard',
};
const at = (index: number, type: string, rest: object = {}) => ({ type, index, ...rest });
const delta = (index: number, value: object) => at(index, 'content_block_delta', { delta: value });

const CONTENT = [
  at(0, 'content_block_start', { content_block: { type: 'thinking', thinking: '', signature: '' } }),
  delta(0, { type: 'thinking_delta', thinking: 'hm… 🤔' }),
  delta(0, { type: 'signature_delta', signature: 'c2ln' }),
  at(0, 'content_block_stop'),
  at(1, 'content_block_start', { content_block: { type: 'text', text: '', citations: [] } }),
  delta(1, { type: 'text_delta', text: 'Grüß 漢字\n' }),
  delta(1, { type: 'citations_delta', citation: { type: 'page_location', cited_text: 'x', file_id: null } }),
  at(1, 'content_block_stop'),
  at(2, 'content_block_start', {
    content_block: { type: 'server_tool_use', id: 's1', name: 'web_search', input: {}, caller: { type: 'direct' } },
  }),
  delta(2, { type: 'input_json_delta', partial_json: '{"query":' }),
  delta(2, { type: 'input_json_delta', partial_json: '"a"}' }),
  at(2, 'content_block_stop'),
  at(3, 'content_block_start', {
    content_block: {
      type: 'web_search_tool_result',
      tool_use_id: 's1',
      content: [{ type: 'web_search_result', url: 'u' }],
    },
  }),
  at(3, 'content_block_stop'),
  at(4, 'content_block_start', { content_block: { type: 'compaction', content: null } }),
  delta(4, { type: 'compaction_delta', content: 'short', encrypted_content: 'e' }),
  at(4, 'content_block_stop'),
  at(5, 'content_block_start', { content_block: { type: 'tool_use', id: 't1', name: 'f', input: {} } }),
  delta(5, { type: 'input_json_delta', partial_json: '{"a":1}' }),
  at(5, 'content_block_stop'),
];

const STREAM = Buffer.from(
  [
    {
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage },
    },
    { type: 'ping' },
    ...CONTENT,
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null, stop_details: null, container: { id: 'c' } },
      usage: { output_tokens: 40, output_tokens_details: { thinking_tokens: 3 } },
      context_management: { applied_edits: [] },
    },
    { type: 'message_stop' },
  ]
    .map((payload) => writeFrame(payload.type, JSON.stringify(payload)))
    .join(''),
);

function passThrough(chunks: readonly Buffer[]): SseFrame[] {
  const decoder = chain<Uint8Array, SseFrame, ModelEvent>(new SseReader(), new MessagesDecoder(decodeContext()));
  const printer = new MessageFrames(generationView({ id: 'gen-1-a' }));
  const reader = new SseReader();
  const frames: SseFrame[] = [];
  for (const chunk of chunks) {
    const events: ModelEvent[] = [];
    decoder.push(chunk, events);
    const printed = printer.print(events);
    if (printed !== undefined) reader.push(Buffer.from(printed as string), frames);
  }
  decoder.end([]);
  return frames;
}

describe('a stream of the vendor through decoder and printer', () => {
  it('keeps its content, usage and end, whatever the chunk cuts', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: STREAM.length - 1 }), { maxLength: 20 }), (cuts) => {
        const positions = [0, ...cuts.sort((a, b) => a - b), STREAM.length];
        const frames = passThrough(positions.slice(1).map((end, index) => STREAM.subarray(positions[index], end)));
        const [start, ping, ...rest] = frames
          .filter(({ data }) => data !== '[DONE]')
          .map(({ data }) => JSON.parse(data));
        expect(start).toMatchObject({
          type: 'message_start',
          message: { id: 'gen-1-a', usage: { ...usage, output_tokens: 0, cost: null } },
        });
        expect(ping).toEqual({ type: 'ping' });
        expect(rest.slice(0, CONTENT.length)).toEqual(CONTENT);
        expect(rest.slice(CONTENT.length)).toMatchObject([
          {
            type: 'message_delta',
            delta: { stop_reason: 'tool_use', stop_sequence: null, stop_details: null, container: { id: 'c' } },
            usage: { ...usage, output_tokens: 40, output_tokens_details: { thinking_tokens: 3 } },
            context_management: { applied_edits: [] },
          },
          { type: 'message_stop' },
        ]);
        expect(frames.at(-1)).toMatchObject({ event: '', data: '[DONE]' });
      }),
      { numRuns: 100 },
    );
  });
});
