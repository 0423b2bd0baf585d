/**
 * Plays the recordings of real providers through `POST /responses`, as their own harness plays them through the other
 * faces: streamed where the recording is a stream, whole where it is whole, both where it is a failure. Each response
 * is compared with the independent reading of its recording, each stream is judged by the grammar and by what OpenAI's
 * own client assembles from its pieces (docs/contribute/testing.md#recordings).
 *
 *     play-responses.ts <folder of the recordings> [--only <part of an id>] [--spoil usage|stop|text|tools] [-v]
 *
 * Ends with 1 for a difference that test/known-differences.json does not have.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { JsonBody } from '../support/recorded-request.js';
import { compareResponse, differs, type Difference } from './compare-response.js';
import { expectResponse } from './expected-response.js';
import { compareFailure } from './compare-failure.js';
import { compareItems } from './compare-items.js';
import { loadHarness, type Recording } from './harness.js';
import { catalogOf, groupsOf, isFailure, modelOf, MODES, startGateway, type Protocol, type RunningGateway } from './recorded-gateway.js'; // oxfmt-ignore
import { seeResponse, seeStream } from './seen-response.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LANES = 6;
const CUT_BYTES_MAX = 1_500;
const ANSWER_MS_MAX = 60_000;
const SHOWN = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, spoil: { type: 'string' }, verbose: { type: 'boolean', short: 'v' } },
});
const harness = await loadHarness(positionals[0]!);

const isVertex = ({ provider }: Recording): boolean => provider === 'google-vertex';
const speaks =
  (...dialects: readonly string[]): Protocol['has'] =>
  ({ dialect }) =>
    dialects.includes(dialect);
const PROTOCOLS: readonly Protocol[] = [
  { name: 'anthropic-messages, openai-chat', has: speaks('anthropic-messages', 'openai-chat') },
  { name: 'openai-responses', has: speaks('openai-responses'), dialect: 'openai-responses', base: '/v1' },
  { name: 'google-gemini', has: (one) => one.dialect === 'google-gemini' && !isVertex(one), dialect: 'google-gemini' },
  { name: 'google-gemini on vertex', has: (one) => one.dialect === 'google-gemini' && isVertex(one), dialect: 'google-gemini', platform: 'vertex' },
  { name: 'bedrock-converse', has: speaks('bedrock-converse'), dialect: 'bedrock-converse', platform: 'bedrock' },
  { name: 'anthropic-messages on bedrock', has: (one) => one.dialect === 'bedrock-invoke' && harness.isMessages(one), dialect: 'anthropic-messages', platform: 'bedrock' },
  { name: 'cohere-chat', has: speaks('cohere'), dialect: 'cohere-chat' },
]; // oxfmt-ignore

interface JudgedResponse {
  readonly recording: Recording;
  readonly protocol: string;
  readonly stream: boolean;
  readonly differences: readonly Difference[];
}

/** The tool of this format that a recording's call is one of; the harness passes over those recordings. */
const toolOf = ({ id }: Recording): string | undefined =>
  /\((shell|apply_patch)_call\)$/.exec(harness.skipped.get(id) ?? '')?.[1];

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

function bodyFor(recording: Recording, stream: boolean): object {
  const { tools = [], logprobs } = recording.request;
  const names = new Set(tools.filter((name) => typeof name === 'string' && NAME.test(name)));
  const own = toolOf(recording);
  const wanted = [
    ...[...names].map((name) => ({ type: 'function', name, parameters: { type: 'object' } })),
    ...(own === undefined ? [] : [{ type: own }]),
  ];
  return {
    model: modelOf(recording, stream),
    input: 'hi',
    max_output_tokens: 2_000,
    stream,
    include: ['reasoning.encrypted_content', ...(logprobs ? ['message.output_text.logprobs'] : [])],
    ...(wanted.length > 0 && { tools: wanted }),
  };
}

/** What a gateway on a busy machine answers before it has sent anything. */
const BUSY = 'The ledger cannot be written at the moment; retry shortly.';
const TRIES_MAX = 5;

/** Repeats the request as clients do, where the gateway has refused it only because the machine is busy. */
async function ask(gateway: RunningGateway, body: object): Promise<Answer> {
  for (let tried = 1; ; tried++) {
    const answer = await askOnce(gateway, body);
    if (answer.status !== 503 || !answer.text.includes(BUSY) || tried === TRIES_MAX) return answer;
    await sleep(1_000 * tried);
  }
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function askOnce({ origin, key }: RunningGateway, body: object): Promise<Answer> {
  // oxfmt-ignore
  const response = await fetch(`${origin}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
}

async function compare(gateway: RunningGateway, recording: Recording, stream: boolean): Promise<Difference[]> {
  const reading = isFailure(recording) ? undefined : harness.read(recording);
  const { status, type, text } = await ask(gateway, bodyFor(recording, stream));
  if (!reading || reading.error) return compareFailure(recording, { status, text }, reading);
  if (status !== 200) return reading.loose ? [] : [differs('refused', 200, `${status} ${text}`)];
  if (type.startsWith('text/event-stream') !== stream) return [differs('content-type', stream, type)];
  const differences: Difference[] = [];
  let body: JsonBody;
  if (stream) {
    const { faults, last, assembled } = seeStream(text);
    body = last;
    for (const fault of faults) differences.push(differs('grammar', 'none', fault));
    if (JSON.stringify(assembled.output) !== JSON.stringify(last.output))
      differences.push(differs('assembled', last.output, assembled.output));
  } else body = JSON.parse(text);
  const expected = expectResponse(recording, reading);
  return [
    ...differences,
    ...compareResponse(expected, seeResponse(body), harness.price),
    ...compareItems(recording, body, harness),
  ];
}

async function judge(gateway: RunningGateway, recording: Recording, stream: boolean): Promise<readonly Difference[]> {
  try {
    return await compare(gateway, recording, stream);
  } catch (error) {
    return [{ what: 'crash', detail: String((error as Error).stack) }];
  }
}

const judged: JudgedResponse[] = [];

async function play(protocols: readonly Protocol[], recordings: readonly Recording[], origin: string): Promise<void> {
  const gateway = await startGateway(catalogOf(protocols, recordings, origin, harness), ROOT);
  const calls = protocols.flatMap(({ name, has }) =>
    recordings.filter(has).flatMap((recording) => {
      const modes = isFailure(recording) ? MODES : [recording.mode === 'stream'];
      return modes.map((stream) => ({ protocol: name, recording, stream }));
    }),
  );
  const lane = async (): Promise<void> => {
    for (let call = calls.shift(); call && !gateway.hasEnded(); call = calls.shift()) {
      judged.push({ ...call, differences: await judge(gateway, call.recording, call.stream) });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const hasDied = gateway.hasEnded();
  await gateway.stop();
  if (hasDied) throw new Error(`The gateway ended:\n${gateway.output()}`);
}

const known: readonly JsonBody[] = JSON.parse(readFileSync(join(ROOT, 'test/known-differences.json'), 'utf8'));
const isKnown = ({ recording, protocol }: JudgedResponse, { what, detail }: Difference): boolean =>
  known.some(
    (one) =>
      one.what === what &&
      (one.face === undefined || one.face === 'responses') &&
      (one.provider === undefined || one.provider === recording.provider) &&
      (one.protocol === undefined || protocol.includes(one.protocol)) &&
      (one.id === undefined || recording.id.includes(one.id)) &&
      (one.detail === undefined || detail.includes(one.detail)),
  );

/** @returns how many calls differ, in all and in what is not known */
function report(print: (line: string) => void): { readonly all: number; readonly unknown: number } {
  const groups = new Map<string, string[]>();
  const all = judged.filter(({ differences }) => differences.length > 0).length;
  let unknown = 0;
  for (const one of judged) {
    const fresh = one.differences.filter((difference) => !isKnown(one, difference));
    if (fresh.length > 0) unknown++;
    for (const { what, detail } of fresh) {
      const group = `${what} [${one.protocol} ${one.stream ? 'streamed' : 'whole'}]`;
      groups.set(group, [...(groups.get(group) ?? []), `${one.recording.id}: ${detail}`]);
    }
  }
  for (const [group, lines] of [...groups].toSorted(([, one], [, other]) => other.length - one.length)) {
    print(`\n${group}: ${lines.length}`);
    for (const line of values.verbose ? lines : lines.slice(0, SHOWN)) print(`   ${line}`);
  }
  return { all, unknown };
}

const startedAt = performance.now();
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
const upstream = await harness.serve(harness.recordings, { cut: CUT_BYTES_MAX, spoil: values.spoil });
const isPlayed = (recording: Recording): boolean =>
  recording.id.includes(values.only ?? '') && (!harness.skipped.has(recording.id) || toolOf(recording) !== undefined);
const played = harness.recordings.filter(isPlayed);
try {
  for (const group of groupsOf(PROTOCOLS, played)) await play(group, played, upstream.origin);
} finally {
  upstream.close();
}
const { all, unknown } = report(print);
for (const [complaint, count] of upstream.complaints) print(`the upstream refused ${count} times: ${complaint}`);
const count = new Set(judged.map(({ recording }) => recording.id)).size;
const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
print(
  `responses: ${count} recordings, ${judged.length} calls in ${seconds} s; ${unknown} differ, ${all - unknown} as known`,
);
process.exitCode = unknown > 0 || upstream.complaints.size > 0 ? 1 : 0;
