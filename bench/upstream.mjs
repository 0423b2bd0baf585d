// The provider every system under test talks to: a raw HTTP server on loopback that speaks the Messages format as fast as Node can.
// The model's name says how the reply comes: `whole`, `stream-<events>-<events per write>`, or `hold` (a stream that stays silent).
import { createServer } from 'node:http';

const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
const usage = {
  input_tokens: 25,
  output_tokens: 180,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  service_tier: 'standard',
};
const message = {
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  model: 'claude-bench',
  content: [{ type: 'text', text: TEXT }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage,
};
const whole = Buffer.from(JSON.stringify(message));

const frame = (data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const head = Buffer.from(
  frame({
    type: 'message_start',
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  }) + frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
);
const delta = frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' quick brown' } });
const tail = Buffer.from(
  frame({ type: 'content_block_stop', index: 0 }) +
    frame({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 180 },
    }) +
    frame({ type: 'message_stop' }),
);

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { model } = JSON.parse(Buffer.concat(chunks).toString());
    const [, kind, events, perWrite] = /(whole|stream|hold)(?:-(\d+)-(\d+))?$/.exec(model);
    if (kind === 'whole') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length });
      response.end(whole);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(head);
    if (kind === 'hold') {
      response.write(delta);
      return;
    }
    stream(response, Number(events), Number(perWrite));
  });
});

function stream(response, events, perWrite) {
  const chunk = Buffer.from(delta.repeat(perWrite));
  let left = events;
  const next = () => {
    if (response.destroyed) return;
    if (left <= 0) {
      response.end(tail);
      return;
    }
    left -= perWrite;
    // One turn of the event loop between writes, so that each arrives as a read of its own.
    if (response.write(chunk)) setImmediate(next);
    else response.once('drain', next);
  };
  setImmediate(next);
}

server.listen(0, '127.0.0.1', () => process.send?.({ port: server.address().port }));
