// `npm run build && node bench/steps.mjs [requests] [turns] [replies] [threads] [small]`: the cost of each cooperative
// stage when it is computed in one go, on the worst bodies of a size: the shortest of some warm rounds, with garbage
// collected before each. Beside it the longest step of the same work in steps. Bodies are as large as the size or the
// limits of the gateway allow. Figures are CPU time of this thread, which other processes hardly affect.
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { REQUESTS, REPLIES, SIZES, REPLY_SIZES, SHORT_REQUEST, TURNS, targetOf } from './steps-bodies.mjs';
import { measureThreads } from './steps-threads.mjs';
import { threadMs } from './thread-ms.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** No further round after one of this length. */
const LONG_MS = 500;
/** Only bodies whose names contain this. */
const BODIES = process.env.BENCH_BODIES ?? '';
const WARM_UP_BYTES = 100_000;
const SMALL_CALLS = 50_000;
const DIALECTS = process.env.BENCH_DIALECTS?.split(',') ?? [
  'anthropic-messages', 'openai-chat', 'openai-responses', 'google-gemini', 'bedrock-converse', 'cohere-chat',
]; // oxfmt-ignore

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

const load = (path) => import(new URL(`../dist/${path}.js`, import.meta.url));
const { DIALECTS: dialects } = await load('providers/dialects/index');
const { doAtOnce } = await load('core/steps');
const { parseJsonBody } = await load('core/json/parse-json-body');
const { parseInSteps } = await load('core/json/parse-in-steps');
const { printJson } = await load('core/json/json');
const { printInPieces } = await load('core/json/print-in-pieces');
const { PIECE } = await load('core/yield-to-event-loop');
const { readBody } = await load('shared/http/dto.pipe');
const { CreateMessageDto } = await load('messages/create-message.dto');
const { readRequest } = await load('messages/read-request');
const { estimateInputTokens, estimateInSteps } = await load('core/money/estimate');
const { Inspector } = await load('guardrails/inspector');
const { BUILTIN_FILTERS } = await load('guardrails/builtin-filters');
const { Cancellation } = await load('core/cancellation');
const { assertGrammar } = await load('core/stream/grammar');
const { assertToolInputs } = await load('core/conversation/tool-input');
const { ReplyBuilder } = await load('core/conversation/reply');
const { viewReply: viewMessage } = await load('messages/view-reply');
const { viewReply: viewChat } = await load('chat/view-reply');

/** Milliseconds of one run: the shortest of the rounds. @param make creates the input of each round, not measured */
function shortest(make, run) {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const given = make();
    collectGarbage();
    const startedAt = threadMs();
    run(given);
    best = Math.min(best, threadMs() - startedAt);
    if (best > LONG_MS) break;
  }
  return best;
}

/** Milliseconds of the longest step, of the round in which that is shortest. */
function longestStep(make, begin) {
  return shortestOf(() => {
    const steps = begin(make());
    collectGarbage();
    let longest = 0;
    for (;;) {
      const startedAt = threadMs();
      const { done } = steps.next();
      longest = Math.max(longest, threadMs() - startedAt);
      if (done) return longest;
    }
  });
}

function shortestOf(round) {
  let best = Infinity;
  for (let count = 0; count < ROUNDS; count++) {
    best = Math.min(best, round());
    if (best > LONG_MS) break;
  }
  return best;
}

const figure = (ms) => (ms === undefined ? '-' : ms < 0.1 ? '<0.1' : ms < 10 ? ms.toFixed(1) : ms.toFixed(0));
const mebibytes = (bytes) =>
  bytes < 1024 * 1024 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
function printRow(group, body, bytes, stage, atOnce, step) {
  console.log(`| ${group} | ${body} | ${mebibytes(bytes)} | ${stage} | ${figure(atOnce)} | ${figure(step)} |`);
}

const same = (value) => () => value;
/** Values cached for a conversation are keyed by its list of turns. */
const asNew = (request) => () => ({ ...request, messages: [...request.messages] });
const filters = [
  { guardrailId: 'g', guardrailScope: 'api-key', stage: 'regex_pi_detection', action: 'flag', label: 'email', reads: 'everybody', matcher: BUILTIN_FILTERS.email.matcher },
]; // oxfmt-ignore

/** Filters read the clock between their steps, so they are run as the gateway runs them: over a whole request. */
async function filterMs(request) {
  const inspector = new Inspector(filters);
  let best = Infinity;
  for (let round = 0; round < Math.min(3, ROUNDS); round++) {
    const startedAt = threadMs();
    await inspector.inspect({ ...request, messages: [...request.messages] }, new Cancellation());
    best = Math.min(best, threadMs() - startedAt);
  }
  return best;
}

async function measureRequest(name, text, isReported) {
  const bytes = Buffer.from(text);
  const report = (stage, atOnce, step) => isReported && printRow('request', name, bytes.length, stage, atOnce, step);
  report(
    'scan and parse',
    shortest(same(bytes), (one) => parseJsonBody(one)),
  );
  report('schema', shortest(() => parseJsonBody(bytes), (body) => readBody(body, CreateMessageDto))); // oxfmt-ignore
  const dto = () => readBody(parseJsonBody(bytes), CreateMessageDto);
  report(
    'face',
    shortest(dto, (one) => readRequest(one, { betas: [] })),
  );
  const request = readRequest(dto(), { betas: [] });
  const makeRequest = asNew(request);
  report('filter (in turns)', await filterMs(request));
  report('estimate', shortest(makeRequest, estimateInputTokens), longestStep(makeRequest, estimateInSteps));
  for (const id of DIALECTS) {
    const target = targetOf(id);
    const encode = (one) => dialects[id].encode(one, target, new Map());
    const atOnce = shortest(makeRequest, (one) => doAtOnce(encode(one)));
    report(`encode ${id}`, atOnce, longestStep(makeRequest, encode));
    if (id !== 'anthropic-messages' && id !== 'google-gemini') continue;
    const { body } = doAtOnce(encode(makeRequest()));
    const print = longestStep(same(body), (one) => printInPieces(one, PIECE));
    report(`print ${id}`, shortest(same(body), printJson), print);
  }
}

/** The length of a step if each turn were one: each dialect, on the largest turns. */
function measureTurns() {
  console.log(`| one turn | ${DIALECTS.join(' | ')} |\n|---|${'---|'.repeat(DIALECTS.length)}`);
  for (const [name, make] of Object.entries(TURNS)) {
    const request = make();
    const figures = DIALECTS.map((id) => {
      const run = (one) => doAtOnce(dialects[id].encode(one, targetOf(id), new Map()));
      try {
        return figure(shortest(asNew(request), run));
      } catch (error) {
        if (error.name === 'Untranslatable' || error.path !== undefined) return 'refused';
        throw error;
      }
    });
    console.log(`| ${[name, ...figures].join(' | ')} |`);
  }
}

const VIEW = {
  id: 'gen-1-a', model: 'a/b', provider: 'P', isByok: false, bill: undefined, charged: undefined, files: [],
  appliedEdits: undefined, extras: {},
}; // oxfmt-ignore

function replyOf(events) {
  const builder = new ReplyBuilder();
  for (const event of events) builder.push(event);
  return builder.finish();
}

function measureReply(id, name, text, isReported) {
  const bytes = Buffer.from(text);
  const report = (stage, atOnce, step) => isReported && printRow(id, name, bytes.length, stage, atOnce, step);
  report('parse', shortest(same(bytes), (one) => doAtOnce(parseInSteps(one))), longestStep(same(bytes), (one) => parseInSteps(one))); // oxfmt-ignore
  const context = () => ({
    request: { ...SHORT_REQUEST, messages: [...SHORT_REQUEST.messages] },
    target: targetOf(id),
  });
  const value = doAtOnce(parseInSteps(bytes));
  const decode = (one) => dialects[id].decodeWhole(value, one);
  report(
    'decode',
    shortest(context, (one) => doAtOnce(decode(one))),
    longestStep(context, decode),
  );
  const events = doAtOnce(decode(context()));
  const check = (one) => assertToolInputs(one, []);
  report('check', shortest(same(events), (one) => (assertGrammar(one), doAtOnce(check(one)))), longestStep(same(events), check)); // oxfmt-ignore
  report('fold', shortest(same(events), replyOf));
  const reply = replyOf(events);
  const views = [
    ['messages', (one) => viewMessage(VIEW, one)],
    ['chat', (one) => viewChat(one, VIEW, false)],
  ];
  for (const [face, view] of views)
    report(
      `view ${face}`,
      shortest(same(reply), (one) => doAtOnce(view(one))),
      longestStep(same(reply), view),
    );
  const shown = doAtOnce(viewMessage(VIEW, reply));
  const print = longestStep(same(shown), (one) => printInPieces(one, PIECE));
  report('print messages', shortest(same(shown), printJson), print);
}

/** Microseconds of a short request's work, in each dialect: encoding, and decoding and viewing its short reply. */
function measureSmall() {
  for (const id of DIALECTS) {
    const target = targetOf(id);
    const body = REPLIES.texts(id, 1);
    const work = {
      encode: () => doAtOnce(dialects[id].encode({ ...SHORT_REQUEST }, target, new Map())),
      decode: () => doAtOnce(dialects[id].decodeWhole(body, { request: SHORT_REQUEST, target })),
    };
    for (const [stage, run] of Object.entries(work)) {
      const us = shortestOf(() => {
        const startedAt = threadMs();
        for (let count = 0; count < SMALL_CALLS; count++) run();
        return ((threadMs() - startedAt) * 1_000) / SMALL_CALLS;
      });
      console.log(`| ${id} | ${stage} of a short one | ${us.toFixed(2)} µs |`);
    }
  }
}

async function measureRequests() {
  console.log('| | body | size | stage | ms at once | longest step, ms |\n|---|---|---|---|---|---|');
  for (const [name, make] of Object.entries(REQUESTS)) {
    if (!name.includes(BODIES)) continue;
    await measureRequest(name, make(WARM_UP_BYTES), false);
    for (const size of SIZES) {
      const body = make(size);
      if (body !== undefined) await measureRequest(name, body, true);
    }
  }
}

function measureReplies() {
  console.log('| dialect | reply | size | stage | ms at once | longest step, ms |\n|---|---|---|---|---|---|');
  for (const id of DIALECTS) {
    for (const [name, make] of Object.entries(REPLIES)) {
      measureReply(id, name, JSON.stringify(make(id, WARM_UP_BYTES)), false);
      let before = '';
      for (const size of REPLY_SIZES) {
        const text = JSON.stringify(make(id, size));
        if (text !== before) measureReply(id, name, text, true);
        before = text;
      }
    }
  }
}

const PARTS = {
  requests: measureRequests,
  turns: measureTurns,
  replies: measureReplies,
  threads: measureThreads,
  small: measureSmall,
};
const { positionals } = parseArgs({ allowPositionals: true });
for (const part of positionals.length > 0 ? positionals : Object.keys(PARTS)) await PARTS[part]();
