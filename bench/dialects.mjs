// `npm run build && node bench/dialects.mjs`: the cost of dialects and signatures alone, without sockets: medians of
// warm rounds in this process. For each dialect: an event of a stream, read from its bytes and printed by each face; a
// whole short reply; a conversation of a mebibyte or more, encoded and printed. Also the signature of 200 KB.
import { existsSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
/** Time for the compiler before measuring. */
const WARM_UP_MS = Number(process.env.BENCH_WARM_UP_MS ?? 1_500);
/** A stream of realistic length: a text whose first piece is repeated this many times. */
const PIECES = 400;
/** Repetitions of the other recordings, which are short, so that the beginning and end of a reply count too. */
const REPLIES = 200;
/** A piece of a text, in any of the formats. */
const PIECE =
  /"text_delta"|content-delta|"delta":\{"content":"[^"]|output_text\.delta|contentBlockDelta|"parts":\[\{"text"/;
const EVENT_US_MAX = 10;
const CONVERSATION_MS_MAX = 15;
const SIGNATURE_MS_MAX = 1;
const TURNS = 256;
const TURN_BYTES = (1024 * 1024) / TURNS;
const SIGNED_BYTES = 200_000;
/** Long texts and calls, as in the work of agents. */
const RECORDINGS = ['text', 'parallel-tools', 'tools', 'thinking-and-tools', 'reasoning-and-tools', 'tools-and-cache'];

const load = (path) => import(new URL(`../dist/${path}.js`, import.meta.url));
const { DIALECTS } = await load('providers/dialects/index');
const { SseReader } = await load('core/stream/sse');
const { GrammarCheck } = await load('core/stream/grammar');
const { chain } = await load('core/stream/stream-stage');
const { printJson } = await load('core/json/json');
const { MessageFrames } = await load('messages/frames');
const { ChatFrames } = await load('chat/frames');
const { SignatureV4 } = await load('shared/http/client/signature-v4');

const VIEW = { id: 'gen-7-a', model: 'a/b', provider: 'P', isByok: false, extras: {} };
const FACES = {
  messages: () => new MessageFrames(VIEW),
  chat: () => new ChatFrames(VIEW, { hidesReasoning: false, sendsUsageSeparately: true }),
};

const median = (figures) => figures.toSorted((one, other) => one - other)[figures.length >> 1];

/** Milliseconds of one run, the median of the rounds. */
function measure(run) {
  for (const end = performance.now() + WARM_UP_MS; performance.now() < end;) run();
  const figures = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    run();
    figures.push(performance.now() - startedAt);
  }
  return median(figures);
}

function targetOf(dialect) {
  const policy = { collectsData: false, zeroDataRetention: false };
  const provider = { slug: 'test', name: 'Test', dialect, baseUrl: 'https://provider.test', policy };
  const endpoint = {
    tag: 'test', provider, upstreamModel: 'anthropic.claude-sonnet-4-5', pricing: null, quantization: 'unknown',
    contextLength: 1_000_000, supportedParameters: [],
  }; // oxfmt-ignore
  const model = {
    id: 'a/b', name: 'B', contextLength: 1_000_000, inputModalities: ['text'], outputModalities: ['text'], scores: {},
    endpoints: [endpoint],
  }; // oxfmt-ignore
  return { endpoint, model, tier: 'standard', definition: { slug: 'test', credential: 'none', quirks: {} } };
}

const text = (words) => [{ type: 'text', text: words }];
const TOOLS = ['get_weather', 'get_time'].map((name) => ({
  type: 'function', name, inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
})); // oxfmt-ignore
const REQUEST = {
  model: 'a/b', system: text('You are a guide.'), messages: [{ role: 'user', content: text('Hi') }], stream: true,
  maxOutputTokens: 500, sampling: {}, tools: TOOLS, preferences: {}, plugins: [], betas: [],
}; // oxfmt-ignore

/** User turns, tool calls and their results: at least a mebibyte of texts. */
function conversation() {
  const words = 'Die Züge fahren um “acht”; each line is 1 of n.\n'.repeat(200).slice(0, TURN_BYTES - 100);
  const messages = [];
  for (let turn = 0; turn < TURNS; turn += 4) {
    const call = { type: 'tool-use', id: `call_${turn}`, name: 'get_weather', input: { city: words } };
    messages.push({ role: 'user', content: text(words) }, { role: 'assistant', content: [...text(words), call] });
    const result = { type: 'tool-result', toolUseId: call.id, content: text(words) };
    messages.push({ role: 'user', content: [result] }, { role: 'assistant', content: text(words) });
  }
  messages.push({ role: 'user', content: text('Why?') });
  return { ...REQUEST, messages };
}

/** The bytes of each frame, as from a socket; undefined without such a recording. */
function framesOf(dialect, name) {
  const url = new URL(`../test/providers/recordings/${dialect}/${name}.sse`, import.meta.url);
  if (!existsSync(url)) return undefined;
  const frames = readFileSync(url, 'utf8')
    .replaceAll('\r\n', '\n')
    .split(/(?<=\n\n)/);
  if (name === 'text') {
    const place = frames.findIndex((frame) => PIECE.test(frame) && !frame.includes('finishReason'));
    if (place === -1) throw new Error(`The text of ${dialect} has no piece that could be repeated.`);
    frames.splice(place, 1, ...Array.from({ length: PIECES }, () => frames[place]));
  }
  return frames.map((frame) => Buffer.from(frame));
}

function play(dialect, context, frames, face, replies) {
  for (let reply = 0; reply < replies; reply++) {
    const step = new GrammarCheck(chain(new SseReader(), dialect.decodeStream(context)));
    const printer = face();
    for (const frame of frames) {
      const events = [];
      step.push(frame, events);
      if (events.length > 0) printer.print(events);
    }
    const events = [];
    step.end(events);
    if (events.length > 0) printer.print(events);
  }
}

const missed = [];
function report(name, figure, max, unit) {
  if (figure > max) missed.push(name);
  console.log(`${name.padEnd(64)} ${figure.toFixed(2)} ${unit}${max === Infinity ? '' : ` (at most ${max})`}`);
}

const long = conversation();
for (const dialect of Object.values(DIALECTS)) {
  if (dialect.id === 'simulated') continue;
  const target = targetOf(dialect.id);
  const context = { request: REQUEST, target };
  for (const name of RECORDINGS) {
    const frames = framesOf(dialect.id, name);
    if (!frames) continue;
    const isLong = frames.length > PIECES;
    const replies = isLong ? 1 : REPLIES;
    for (const [faceName, face] of Object.entries(FACES)) {
      const us = measure(() => play(dialect, context, frames, face, replies)) * 1_000;
      if (isLong) report(`${dialect.id}, ${faceName}: an event of a long text`, us / frames.length, EVENT_US_MAX, 'µs');
      // Whole short replies, which are mostly beginning and end.
      else
        report(
          `${dialect.id}, ${faceName}: a reply of ${frames.length} frames (${name})`,
          us / replies,
          Infinity,
          'µs',
        );
    }
  }
  const ms = measure(() => printJson(dialect.encode(long, target, new Map()).body));
  report(`${dialect.id}: a conversation of 1 MiB`, ms, CONVERSATION_MS_MAX, 'ms');
}

const signature = new SignatureV4('bedrock');
const account = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', region: 'us-east-1' };
const call = {
  method: 'POST', url: 'https://bedrock-runtime.us-east-1.amazonaws.com/model/a%3A0/converse',
  headers: { 'content-type': 'application/json' }, body: 'x'.repeat(SIGNED_BYTES),
}; // oxfmt-ignore
const signatures = 20;
const ms = measure(() => {
  for (let count = 0; count < signatures; count++) signature.sign(call, account, Date.now());
});
report('Signature Version 4 of 200 KB', ms / signatures, SIGNATURE_MS_MAX, 'ms');

if (missed.length > 0) {
  console.error(`Missed: ${missed.join('; ')}`);
  process.exitCode = 1;
}
