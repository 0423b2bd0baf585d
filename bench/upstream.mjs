// The provider of all measured systems: a raw HTTP server on loopback that speaks the Messages format and chat
// completions as fast as Node can. The model's name selects the reply: `whole`, `stream-<events>-<events per write>`,
// `paced-<events>-<milliseconds between them>`, `hold` (a stream that stays silent), or `tools-<steps>` (calls the
// first tool this often, with the arguments in the first text, and then answers). `/pages/<name>` is a page, `/calls`
// the number of calls so far.
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

const chatUsage = { prompt_tokens: 25, completion_tokens: 180, total_tokens: 205 };
const chatHead = { id: 'chatcmpl-bench', created: 1_760_000_000, model: 'gpt-bench' };
const chatWhole = Buffer.from(
  JSON.stringify({
    ...chatHead,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
    usage: chatUsage,
  }),
);
const chatFrame = (choices, more = {}) =>
  `data: ${JSON.stringify({ ...chatHead, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
const chatChoice = (delta, finish_reason = null) => [{ index: 0, delta, finish_reason }];

/** The parts of a reply, in either format. */
const FORMATS = {
  messages: { whole, head, delta, tail },
  chat: {
    whole: chatWhole,
    head: Buffer.from(chatFrame(chatChoice({ role: 'assistant', content: '' }))),
    delta: chatFrame(chatChoice({ content: ' quick brown' })),
    tail: Buffer.from(`${chatFrame(chatChoice({}, 'stop'))}${chatFrame([], { usage: chatUsage })}data: [DONE]\n\n`),
  },
};

const vector = Float32Array.from({ length: 1_536 }, (_, index) => Math.sin(index) / 28);
const embeddingReply = (embedding) =>
  Buffer.from(
    JSON.stringify({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding }],
      model: 'embedding',
      usage: { prompt_tokens: 12, total_tokens: 12 },
    }),
  );
const EMBEDDINGS = {
  float: embeddingReply(Array.from(vector)),
  base64: embeddingReply(Buffer.from(vector.buffer).toString('base64')),
};

const MEGABYTE = 1024 * 1024;
/** Pages for tools by name: media type and bytes. */
const PAGES = {
  text: () => ['text/plain', Buffer.alloc(10 * MEGABYTE, 'word ')],
  html: () => ['text/html', Buffer.alloc(10 * MEGABYTE, 'word <p>')],
  article: () => ['text/html', Buffer.alloc(2 * MEGABYTE, `<p>${'word '.repeat(100)}`)],
  nested: () => ['text/html', Buffer.from(`${'<div>'.repeat(20_000)}${'word '.repeat(200)}${'</div>'.repeat(20_000)}`)],
  pdf: () => ['application/pdf', pdfOf(10_000)],
};

/** A PDF with this many pages, one line each. */
function pdfOf(pages) {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', '', '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'];
  const kids = [];
  for (let page = 1; page <= pages; page++) {
    const content = `BT /F1 12 Tf 72 720 Td (Page ${page}) Tj ET`;
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
    const resources = '/Resources << /Font << /F1 3 0 R >> >>';
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${objects.length} 0 R ${resources} >>`,
    );
    kids.push(`${objects.length} 0 R`);
  }
  objects[1] = `<< /Type /Pages /Count ${pages} /Kids [${kids.join(' ')}] >>`;
  let file = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const end = `trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(`${file}xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}${end}`);
}

/** The reply of one of several calls: tool calls as often as the model's name specifies, then text. */
function toolsReply({ messages, tools }, steps) {
  const { content } = messages[0];
  const answered = messages.filter(({ role, content }) => role === 'user' && content[0]?.type === 'tool_result').length;
  if (answered >= steps) return whole;
  const input = JSON.parse(typeof content === 'string' ? content : content[0].text);
  const call = { type: 'tool_use', id: `toolu_bench_${answered}`, name: tools[0].name, input };
  return Buffer.from(JSON.stringify({ ...message, content: [call], stop_reason: 'tool_use' }));
}

let calls = 0;
const server = createServer((request, response) => {
  if (request.url === '/calls') {
    response.end(String(calls));
    return;
  }
  const page = PAGES[/^\/pages\/(\w+)$/.exec(request.url)?.[1]];
  if (page) {
    const [type, bytes] = page();
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
    return;
  }
  calls++;
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const requested = JSON.parse(Buffer.concat(chunks).toString());
    const { model } = requested;
    if (request.url.endsWith('/embeddings')) {
      const reply = EMBEDDINGS[requested.encoding_format ?? 'float'];
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': reply.length }).end(reply);
      return;
    }
    const format = FORMATS[request.url.endsWith('/chat/completions') ? 'chat' : 'messages'];
    const steps = /^tools-(\d+)$/.exec(model)?.[1];
    if (steps !== undefined) {
      const reply = toolsReply(requested, Number(steps));
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': reply.length }).end(reply);
      return;
    }
    const [, kind, events, rhythm] = /(whole|stream|paced|hold)(?:-(\d+)-(\d+))?$/.exec(model);
    if (kind === 'whole') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': format.whole.length });
      response.end(format.whole);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(format.head);
    if (kind === 'hold') {
      response.write(format.delta);
      return;
    }
    if (kind === 'paced') paced(response, format, Number(events), Number(rhythm));
    else stream(response, format, Number(events), Number(rhythm));
  });
});

function stream(response, { delta, tail }, events, perWrite) {
  const chunk = Buffer.from(delta.repeat(perWrite));
  let left = events;
  const next = () => {
    if (response.destroyed) return;
    if (left <= 0) {
      response.end(tail);
      return;
    }
    left -= perWrite;
    // One iteration of the event loop between writes, so that each arrives as a separate read.
    if (response.write(chunk)) setImmediate(next);
    else response.once('drain', next);
  };
  setImmediate(next);
}

/**
 * One event at a time, as models stream. Each contains its send time, in nanoseconds of the machine's monotonic clock.
 */
function paced(response, { delta, tail }, events, intervalMs) {
  const [before, after] = delta.split(' quick brown');
  let left = events;
  const timer = setInterval(() => {
    if (left-- > 0 && !response.destroyed) {
      response.write(`${before} sent=${process.hrtime.bigint()};${after}`);
      return;
    }
    clearInterval(timer);
    response.end(tail);
  }, intervalMs);
}

server.listen(0, '127.0.0.1', () => process.send?.({ port: server.address().port }));
