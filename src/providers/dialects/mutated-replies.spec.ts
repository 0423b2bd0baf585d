// Goal: whatever a provider sends, a dialect emits events that obey the grammar and that both faces can print, or a
// fault of the provider's: never an internal error, and in time that grows with the bytes. Method: recordings of each
// dialect in which values change their type, and members and events are left out, repeated and moved.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { generationView } from '../../../test/support/generation-view.js';
import { modelRequest } from '../../../test/support/model-request.js';
import { endpoint, model } from '../../../test/support/route-inputs.js';
import { ChatFrames } from '../../faces/chat/frames.js';
import { viewReply as viewChat } from '../../faces/chat/view-reply.js';
import type { ModelEvent } from '../../core/conversation/event.js';
import { ReplyBuilder } from '../../core/conversation/reply.js';
import { ProviderFault } from '../../core/errors.js';
import { parseJson, printJson } from '../../core/json/json.js';
import type { DecodeContext } from '../../core/provider.js';
import { assertGrammar, GrammarCheck } from '../../core/stream/grammar.js';
import { SseReader, writeFrame } from '../../core/stream/sse.js';
import { chain } from '../../core/stream/stream-stage.js';
import { doAtOnce } from '../../core/steps.js';
import { MessageFrames } from '../../faces/messages/frames.js';
import { viewReply as viewMessage } from '../../faces/messages/view-reply.js';
import { DIALECTS } from './index.js';

const RECORDINGS = join(process.cwd(), 'test', 'providers', 'recordings');
/** Runs for each recording. More are tried by hand, a thousand of each in two minutes. */
const RUNS = Number(process.env['FAIRLEAD_FUZZ_RUNS'] ?? 40);
const VIEW = generationView();

/** Placeholders for values that JSON text can contain and JavaScript values cannot; replaced when the text is made. */
const MARKS: Readonly<Record<string, string>> = {
  '@deep-lists@': '['.repeat(20_000) + ']'.repeat(20_000),
  '@deep-objects@': '{"a":'.repeat(20_000) + '0' + '}'.repeat(20_000),
  '@exact@': '123456789012345678901234567890.5',
  '@vast@': '1e999',
  '@own@': '{"__proto__":{"index":1},"constructor":null,"toString":"x","length":7}',
};
const VALUES: readonly unknown[] = [
  null, true, false, 0, -1, 1.5, 2 ** 53, 1e300, '', ' ', 'x', 'null', '0', 'error', '__proto__', 'length', '\ud800',
  '{"a":', [], [null], [[]], [0, 'x'], {}, { type: 'x' }, { text: 1 }, { index: 'x' }, { error: 'x' }, ...Object.keys(MARKS),
]; // oxfmt-ignore

type Change = readonly [memberIndex: number, kind: 'value' | 'drop' | 'repeat' | 'swap' | 'rename', value: unknown];
const change: fc.Arbitrary<Change> = fc.tuple(
  fc.nat(),
  fc.constantFrom('value' as const, 'value' as const, 'value' as const, 'drop' as const, 'repeat' as const, 'swap' as const, 'rename' as const),
  fc.constantFrom(...VALUES),
); // oxfmt-ignore
const changes = fc.array(change, { minLength: 1, maxLength: 4 });

interface MemberRef {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Every member of every object and every entry of every list. */
function membersIn(value: unknown, members: MemberRef[] = []): MemberRef[] {
  if (typeof value !== 'object' || value === null) return members;
  for (const key of Object.keys(value)) {
    const holder = value as Record<string, unknown>;
    members.push({ holder, key });
    membersIn(holder[key], members);
  }
  return members;
}

function changeValue(value: unknown, [number, kind, given]: Change): void {
  const members = membersIn(value);
  if (members.length === 0) return;
  const { holder, key } = members[number % members.length]!;
  const other = members[(number * 7 + 3) % members.length]!;
  if (kind === 'drop') delete holder[key];
  else if (kind === 'swap') holder[key] = structuredClone(other.holder[other.key]);
  else if (kind === 'rename') holder[`${key}x`] = holder[key];
  else if (kind === 'repeat' && Array.isArray(holder)) holder.push(structuredClone(holder[Number(key)]));
  else holder[key] = structuredClone(given);
}

/** JSON text of a value, with the placeholders replaced. */
function textOf(value: unknown): string {
  let text = JSON.stringify(value);
  for (const [mark, meant] of Object.entries(MARKS)) text = text.replaceAll(JSON.stringify(mark), meant);
  return text;
}

type Frame = [event: string, data: unknown];

function changeFrames(frames: Frame[], one: Change): void {
  const [number, kind, given] = one;
  const index = number % frames.length;
  const frame = frames[index]!;
  // Half of the changes concern the content of an event.
  if (kind === 'value' || number % 2 === 0) changeValue(frame, one);
  else if (kind === 'drop') frames.splice(index, frames.length > 1 ? 1 : 0);
  else if (kind === 'repeat') frames.splice(index, 0, structuredClone(frame));
  else if (kind === 'swap') frames.push(...frames.splice(index, 1));
  else frame[0] = typeof given === 'string' ? given : '';
}

const context = (): DecodeContext => {
  const one = endpoint('test', {});
  return {
    request: modelRequest({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      sampling: { logprobs: true, topLogprobs: 2 },
      tools: [{ type: 'function', name: 'get_weather', inputSchema: { type: 'object' } }],
    }),
    target: { model: model('a/b', [one]), endpoint: one, tier: 'standard', definition: { slug: 'test', credential: 'none', quirks: {} } },
  };
}; // oxfmt-ignore

/** The one error that may be thrown; any other fails the test. */
function faultIn(act: () => void): ProviderFault | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof ProviderFault) return error;
    throw error;
  }
}

/** As in a call: what cannot be parsed is the provider's malformed reply. */
function parsedAsReply(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new ProviderFault('malformed-reply', 'not JSON', {}, { cause });
  }
}

/** As in a delivery: what is nested too deep for the printer is the provider's malformed reply. */
function print(act: () => void): void {
  try {
    faultIn(act);
  } catch (error) {
    if (!(error instanceof RangeError && error.message.includes('call stack'))) throw error;
  }
}

function printStreamed(events: readonly ModelEvent[]): void {
  print(() => new MessageFrames(VIEW).print(events));
  print(() => new ChatFrames(VIEW, { hidesReasoning: false, sendsUsageSeparately: true }).print(events));
}

function printWhole(events: readonly ModelEvent[]): void {
  const builder = new ReplyBuilder();
  for (const event of events) builder.push(event);
  const reply = builder.finish();
  print(() => printJson(viewMessage(VIEW, reply)));
  print(() => printJson(viewChat(reply, VIEW, false)));
}

function readFrames(text: string): Frame[] {
  const out: { event: string; data: string }[] = [];
  new SseReader().push(Buffer.from(text), out);
  return out.map(({ event, data }) => [event, data.startsWith('{') ? JSON.parse(data) : data]);
}

describe.each(Object.values(DIALECTS).filter(({ id }) => id !== 'simulated'))('$id', (dialect) => {
  const folder = join(RECORDINGS, dialect.id);
  const names = readdirSync(folder).filter((name) => name.endsWith('.sse'));

  it.each(names)('%s, changed', (name) => {
    const frames = readFrames(readFileSync(join(folder, name), 'utf8'));
    fc.assert(
      fc.property(changes, (made) => {
        const changed = structuredClone(frames);
        for (const one of made) changeFrames(changed, one);
        const text = changed
          .map(([event, data]) =>
            writeFrame(typeof event === 'string' ? event : 'x', typeof data === 'string' ? data : textOf(data ?? null)),
          )
          .join('');
        const events: ModelEvent[] = [];
        const step = new GrammarCheck(chain(new SseReader(), dialect.decodeStream(context())));
        const fault = faultIn(() => {
          step.push(Buffer.from(text), events);
          step.end(events);
        });
        printStreamed(events);
        if (fault === undefined) printWhole(events);
      }),
      { numRuns: RUNS },
    );
  });

  it.each(names.map((name) => name.replace('.sse', '.json')))('%s, changed', (name) => {
    const body = JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown;
    fc.assert(
      fc.property(changes, (made) => {
        const changed = [structuredClone(body)];
        for (const one of made) changeValue(changed, one);
        let events: ModelEvent[] = [];
        const fault = faultIn(() => {
          events = doAtOnce(dialect.decodeWhole(parsedAsReply(textOf(changed[0] ?? null)), context()));
          assertGrammar(events);
        });
        if (fault !== undefined) return;
        printStreamed(events);
        printWhole(events);
      }),
      { numRuns: RUNS },
    );
  });
});
