// Both neighbours of a gateway under test, in a separate thread: what they compute is not on the gateway's loop.
import { Agent, createServer, request } from 'node:http';
import { parentPort } from 'node:worker_threads';

/** A megabyte, not a mebibyte: so it fits the 1 MiB that a body of management may have. */
const CHARACTERS = 1_000_000;
const ENTRIES = 100_000;
const DIGITS = 150;
const FILLING = '"@@filling@@"';

const each = (print) => Array.from({ length: ENTRIES }, (_, index) => print(index)).join(',');
/** Entries with the text "a" get a different one each. */
const entryAt = (entry = '1', index) => entry.replace('"a"', `"a${index}"`);

const FILLINGS = {
  letters: () => `"${'x'.repeat(CHARACTERS)}"`,
  separators: () => `"${':'.repeat(CHARACTERS)}"`,
  blanks: () => `"${' '.repeat(CHARACTERS)}"`,
  digits: () => '9'.repeat(DIGITS),
  exponent: () => `1e${'9'.repeat(DIGITS)}`,
  decimals: () => `0.${'3'.repeat(DIGITS)}`,
  entries: (entry) => `[${each((index) => entryAt(entry, index))}]`,
  members: (entry) => `{${each((index) => `"k${index}":${entryAt(entry, index)}`)}}`,
  lists: () => `[${each(() => '[]')}]`,
};

/** Texts of fillings, by name and entry: each is built once. */
const made = new Map();

function fillingOf(filling, entry) {
  const key = `${filling} ${entry}`;
  let bytes = made.get(key);
  if (!bytes) made.set(key, (bytes = Buffer.from(FILLINGS[filling](entry))));
  return bytes;
}

function bytesOf({ body, filling, entry }) {
  if (body === undefined) return undefined;
  const [before, ...after] = body.split(FILLING);
  const parts = [Buffer.from(before)];
  for (const part of after) parts.push(fillingOf(filling, entry), Buffer.from(part));
  return Buffer.concat(parts);
}

/** Reported characters of an answer. */
const TEXT_MAX = 2_000;

/** The contents of replies, by the first segment of the provider's address. */
const KINDS = {
  short: { texts: ['ok'], calls: 0 },
  text: { texts: ['word '.repeat(6_000_000)], calls: 0 },
  texts: { texts: Array.from({ length: 50_000 }, (_, index) => `word ${index}`), calls: 0 },
  calls: { texts: [], calls: 10_000 },
  arguments: { texts: [], calls: 1, entries: 50_000 },
};
const argumentsOf = (index, { calls, entries }) =>
  entries === undefined
    ? { index, text: 'word '.repeat(calls > 1 ? 600 : 1) }
    : { list: Array.from({ length: entries }, (_, entry) => `${entry} ${'x'.repeat(90)}`) };
const callsOf = (kind, print) =>
  Array.from({ length: kind.calls }, (_, index) => print(`t${index}`, argumentsOf(index, kind)));
const asText = (id, input) => ({ id, type: 'function', function: { name: 'f', arguments: JSON.stringify(input) } });

/** Selected by the end of the path. */
const FORMATS = [
  ['/count_tokens', () => ({ input_tokens: 1 })],
  [
    '/messages',
    (kind) => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        ...kind.texts.map((text) => ({ type: 'text', text })),
        ...callsOf(kind, (id, input) => ({ type: 'tool_use', id, name: 'f', input })),
      ],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  ],
  [
    '/chat/completions',
    (kind) => ({
      id: 'chat_1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: kind.texts.length === 1 ? kind.texts[0] : kind.texts.map((text) => ({ type: 'text', text })),
            ...(kind.calls > 0 && { content: null, tool_calls: callsOf(kind, asText) }),
          },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
  ],
  [
    '/responses',
    (kind) => ({
      id: 'resp_1',
      status: 'completed',
      model: 'm',
      output: [
        ...kind.texts.map((text, index) => ({
          type: 'message',
          id: `m${index}`,
          role: 'assistant',
          content: [{ type: 'output_text', text, annotations: [] }],
        })),
        ...callsOf(kind, (id, input) => ({
          type: 'function_call',
          id: `f${id}`,
          call_id: id,
          name: 'f',
          arguments: JSON.stringify(input),
        })),
      ],
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  ],
  [
    ':generateContent',
    (kind) => ({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              ...kind.texts.map((text, index) => ({ text, ...(index % 2 === 1 && { thought: true }) })),
              ...callsOf(kind, (id, args) => ({ functionCall: { id, name: 'f', args } })),
            ],
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
    }),
  ],
  [
    '/converse',
    (kind) => ({
      output: {
        message: {
          role: 'assistant',
          content: [
            ...kind.texts.map((text) => ({ text })),
            ...callsOf(kind, (toolUseId, input) => ({ toolUse: { toolUseId, name: 'f', input } })),
          ],
        },
      },
      stopReason: 'end_turn',
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    }),
  ],
  [
    '/v2/chat',
    (kind) => ({
      id: 'chat_1',
      finish_reason: 'COMPLETE',
      message: {
        role: 'assistant',
        content: kind.texts.map((text) => ({ type: 'text', text })),
        tool_calls: callsOf(kind, asText),
      },
      usage: { tokens: { input_tokens: 1, output_tokens: 1 } },
    }),
  ],
];

/** Each reply is printed once. */
const printed = new Map();

function replyTo(url) {
  let reply = printed.get(url);
  if (!reply) {
    const kind = KINDS[url.split('/')[1]] ?? KINDS.short;
    const [, format] = FORMATS.find(([end]) => url.endsWith(end));
    printed.set(url, (reply = Buffer.from(JSON.stringify(format(kind)))));
  }
  return reply;
}

const upstream = createServer((incoming, response) => {
  incoming.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(replyTo(incoming.url));
  });
});
upstream.listen(0, '127.0.0.1', () => parentPort.postMessage({ upstream: upstream.address().port }));

const agent = new Agent({ keepAlive: true });

/** The answer to one order; `text` is cut to its beginning. */
function send(order) {
  const { url, method, headers } = order;
  const bytes = bytesOf(order);
  return new Promise((resolve) => {
    const outgoing = request(url, {
      agent,
      method,
      headers: { ...headers, ...(bytes && { 'content-length': bytes.length }) },
    });
    outgoing.on('error', (error) => resolve({ status: 0, text: String(error) }));
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('error', (error) => resolve({ status: 0, text: String(error) }));
      response.on('end', () => resolve({ status: response.statusCode, text: text.slice(0, TEXT_MAX) }));
    });
    outgoing.end(bytes);
  });
}

async function sendAll({ id, orders }) {
  const outcomes = [];
  for (const order of orders) outcomes.push(await send(order));
  parentPort.postMessage({ id, outcomes });
}

parentPort.on('message', (batch) => {
  if (batch === 'end') {
    agent.destroy();
    upstream.close();
    upstream.closeAllConnections();
    parentPort.close();
  } else void sendAll(batch);
});
