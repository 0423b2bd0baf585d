// Goal: whatever a provider of the responses format sends, in events, whole or both, the events obey the grammar and
// contain everything once. Method: items written from the vendors' public documentation, streamed in several ways;
// every sequence passes GrammarCheck; a property over which parts of an item come in events.
import { modelRequest } from '../../../../test/support/model-request.js';
import { endpoint, model } from '../../../../test/support/route-inputs.js';
import fc from 'fast-check';
import type { ModelEvent } from '../../../core/conversation/event.js';
import { ReplyBuilder, type Reply } from '../../../core/conversation/reply.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import { annotationOf, readWebCitation } from '../../../core/conversation/web-citation.js';
import { ProviderFault } from '../../../core/errors.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { DecodeContext } from '../../../core/provider.js';
import type { Quirks } from '../../../core/quirks.js';
import { assertGrammar, GrammarCheck } from '../../../core/stream/grammar.js';
import { SseReader } from '../../../core/stream/sse.js';
import { chain } from '../../../core/stream/stream-stage.js';
import { doAtOnce } from '../../../core/steps.js';
import { openaiResponses } from './dialect.js';

function context(parts: Partial<ModelRequest> = {}, quirks: Quirks = {}): DecodeContext {
  const one = endpoint('acme');
  const target = { model: model('acme/model', [one]), endpoint: one, tier: 'standard' } as const;
  return {
    request: modelRequest({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], ...parts }),
    target: { ...target, definition: { slug: 'acme', credential: 'bearer', quirks } },
  };
}

type Event = JsonObject | string;

const USAGE = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
const response = (output: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  model: 'acme-upstream',
  status: 'completed',
  error: null,
  output,
  usage: USAGE,
  ...more,
});
const created: JsonObject = {
  type: 'response.created',
  response: response([], { status: 'in_progress', usage: null }),
};
const completed = (output: readonly JsonObject[] = [], more: JsonObject = {}): JsonObject => ({
  type: 'response.completed',
  response: response(output, more),
});
const added = (output_index: number, item: JsonObject): JsonObject => ({ type: 'response.output_item.added', output_index, item }); // oxfmt-ignore
const done = (output_index: number, item: JsonObject): JsonObject => ({ type: 'response.output_item.done', output_index, item }); // oxfmt-ignore
const message = (text: string, more: JsonObject = {}, part: JsonObject = {}): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], ...part }],
  ...more,
});
const textPiece = (output_index: number, delta: string, content_index = 0): JsonObject => ({
  type: 'response.output_text.delta',
  item_id: 'msg_1',
  output_index,
  content_index,
  delta,
});
const call = (args: string, more: JsonObject = {}): JsonObject => ({
  id: 'fc_1',
  type: 'function_call',
  call_id: 'call_1',
  name: 'f',
  arguments: args,
  ...more,
});
const argues = (output_index: number, delta: string): JsonObject => ({
  type: 'response.function_call_arguments.delta',
  item_id: 'fc_1',
  output_index,
  delta,
});

const frameOf = (event: Event): string => {
  if (typeof event === 'string') return `data: ${event}\n\n`;
  const name = typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
};

function decodeText(text: string, where = context()): ModelEvent[] {
  const step = new GrammarCheck(chain(new SseReader(), openaiResponses.decodeStream(where)));
  const out: ModelEvent[] = [];
  step.push(Buffer.from(text), out);
  step.end(out);
  return out;
}

const decode = (events: readonly Event[], where = context()): ModelEvent[] =>
  decodeText(events.map(frameOf).join(''), where);

function decodeWhole(body: unknown, where = context()): ModelEvent[] {
  const events = doAtOnce(openaiResponses.decodeWhole(body, where));
  assertGrammar(events);
  return events;
}

function fold(events: readonly ModelEvent[]): Reply {
  const reply = new ReplyBuilder();
  for (const event of events) reply.push(event);
  return reply.finish();
}

const namesOf = (events: readonly ModelEvent[]): [string, string][] =>
  fold(events).blocks.map(({ start, text }) => [
    start.type === 'tool-use' ? `${start.id}:${start.name}` : start.type,
    start.type === 'redacted-thinking' ? start.data : text,
  ]);

function faultOf(run: () => unknown): ProviderFault {
  try {
    run();
  } catch (error) {
    if (error instanceof ProviderFault) return error;
    throw error;
  }
  throw new Error('There was no fault.');
}

describe('what comes in events, whole, or both, is emitted once', () => {
  const item = message('Hello there');
  it.each<[string, readonly Event[]]>([
    ['in pieces', [created, added(0, message('')), textPiece(0, 'Hello '), textPiece(0, 'there'), done(0, item), completed([item])]],
    ['in pieces, and the end is empty', [created, added(0, message('')), textPiece(0, 'Hello '), textPiece(0, 'there'), done(0, item), completed()]],
    ['at the end alone', [completed([item])]],
    ['as a finished item alone', [created, done(0, item), completed()]],
    ['in part in pieces, and then whole', [created, added(0, message('')), textPiece(0, 'Hello'), done(0, item), completed([item])]],
    ['in part in pieces, and at the end whole', [created, textPiece(0, 'Hello'), completed([item])]],
    ['under ids that change', [created, added(0, message('', { id: 'a' })), textPiece(0, 'Hello there'), done(0, message('Hello there', { id: 'b' })), completed([message('Hello there', { id: 'c' })])]],
    ['without places', [created, { type: 'response.output_item.added', item: message('') }, { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'Hello there' }, { type: 'response.output_item.done', item }, completed([item])]],
    ['under names of the frames alone', [created, textPiece(0, 'Hello there'), completed([item])]],
    ['with the sentinel, keep-alives and unknown events', [': x', '[DONE]', { type: 'keepalive', sequence_number: 3 }, created, { type: 'response.new.thing', delta: 'no' }, textPiece(0, 'Hello there'), completed(), '[DONE]', textPiece(0, 'late')]],
  ])('%s', (what, events) => {
    const text = events.map(frameOf).join('');
    const given = what.includes('frames alone') ? text.replaceAll(/\{"type":"[\w.]+",/g, '{') : text;
    expect(namesOf(decodeText(given))).toEqual([['text', 'Hello there']]);
  }); // oxfmt-ignore

  it('is so for any cut between what comes in pieces and what does not', () => {
    const items = [message('One, and more.'), call('{"a":[1,{"b":"}"}]}')];
    const whole = namesOf(decodeWhole(response(items)));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 14 }),
        fc.nat(19),
        fc.boolean(),
        fc.boolean(),
        (words, args, hasDone, hasEnd) => {
          const events = [
            created,
            added(0, message('')),
            textPiece(0, 'One, and more.'.slice(0, words)),
            ...(hasDone ? [done(0, items[0]!)] : []),
            added(1, call('')),
            ...(args > 0 ? [argues(1, '{"a":[1,{"b":"}"}]}'.slice(0, args))] : []),
            ...(hasDone ? [done(1, items[1]!)] : []),
            completed(hasEnd || !hasDone ? items : []),
          ];
          expect(namesOf(decode(events))).toEqual(whole);
        },
      ),
    );
  });

  it('of items that grow side by side', () => {
    const events = decode([
      created,
      added(0, call('')),
      added(1, call('', { id: 'fc_2', call_id: 'call_2', name: 'g' })),
      argues(1, '{"b":2}'),
      argues(0, '{"a":'),
      argues(0, '1}'),
      completed([call('{"a":1}'), call('{"b":2}', { id: 'fc_2', call_id: 'call_2', name: 'g' })]),
    ]);
    expect(namesOf(events)).toEqual([['call_1:f', '{"a":1}'], ['call_2:g', '{"b":2}']]); // oxfmt-ignore
    expect(fold(events).stop).toEqual({ unified: 'tool-use', raw: 'completed', vendor: 'openai-responses' });
  });

  it('of items that share an id', () => {
    const item = (data: string): JsonObject => ({
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      encrypted_content: data,
    });
    const items = [item('A'), message('Hm.'), item('B')];
    expect(namesOf(decodeWhole(response(items)))).toEqual([['redacted-thinking', 'A'], ['text', 'Hm.'], ['redacted-thinking', 'B']]); // oxfmt-ignore
    expect(namesOf(decode([created, ...items.map((one, index) => done(index, one)), completed(items)]))).toHaveLength(
      3,
    );
  });
});

describe('a tool call', () => {
  it('has its pieces emitted at once', () => {
    const step = openaiResponses.decodeStream(context());
    const out: ModelEvent[] = [];
    const push = (event: JsonObject): readonly ModelEvent[] => {
      out.length = 0;
      step.push({ event: '', data: JSON.stringify(event) }, out);
      return out;
    };
    push(created);
    expect(push(added(0, call('')))).toMatchObject([{ type: 'block-start', block: { id: 'call_1', name: 'f' } }]);
    for (const piece of ['{"a"', ':', '1}']) {
      expect(push(argues(0, piece))).toEqual([{ type: 'block-delta', index: 0, delta: { type: 'input-json', json: piece } }]); // oxfmt-ignore
    }
  });

  it.each([
    ['', '{}'],
    ['  {"a":1}  x', '{"a":1}'],
    ['broken', 'broken'],
  ])('with the arguments %j has %j', (given, expected) => {
    expect(namesOf(decodeWhole(response([call(given)])))).toEqual([['call_1:f', expected]]);
    expect(namesOf(decode([added(0, call('')), argues(0, given), done(0, call(given)), completed()]))).toEqual([['call_1:f', expected]]); // oxfmt-ignore
  });

  it('may give an object', () => {
    const item = { ...call(''), arguments: { a: 1 } };
    expect(namesOf(decodeWhole(response([item])))).toEqual([['call_1:f', '{"a":1}']]);
  });

  it('is named as the caller named it, and has an id of its own', () => {
    const name = `${'n'.repeat(69)}.`;
    const request = { tools: [{ type: 'function', name, inputSchema: {} }] } as const;
    const sent = doAtOnce(openaiResponses.encode(context(request).request, context().target, new Map())).body as { tools: { name: string }[] }; // oxfmt-ignore
    const wire = sent.tools[0]!.name;
    const events = decodeWhole(response([call('{}', { name: wire }), call('{}'), call('{}', { call_id: '' })]), context(request)); // oxfmt-ignore
    expect(namesOf(events).map(([what]) => what)).toEqual([`call_1:${name}`, 'call_1_1:f', 'call_1_2:f']);
  });
});

describe('reasoning', () => {
  const item = {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'One.' }, { type: 'summary_text', text: 'Two.' }],
    encrypted_content: 'SEAL',
  }; // oxfmt-ignore
  const mark = { format: 'openai-responses-v1', provider: 'acme', id: 'rs_1' };
  const thought = (summary_index: number, delta: string): JsonObject => ({ type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', output_index: 0, summary_index, delta }); // oxfmt-ignore

  it('is a block for each part of its summary, and a sealed one, all marked', () => {
    const starts = [
      { type: 'thinking', mark: { ...mark, isSummary: true } },
      { type: 'thinking', mark: { ...mark, isSummary: true } },
      { type: 'redacted-thinking', data: 'SEAL', mark },
      { type: 'text' },
    ];
    const streamed = decode([
      created,
      added(0, { ...item, summary: [], encrypted_content: 'EARLY' }),
      thought(0, 'O'),
      thought(0, 'ne.'),
      thought(1, 'Two.'),
      done(0, item),
      textPiece(1, 'So.'),
      completed([item, message('So.')]),
    ]);
    for (const events of [streamed, decodeWhole(response([item, message('So.')]))]) {
      expect(fold(events).blocks.map(({ start }) => start)).toMatchObject(starts);
      expect(namesOf(events).map(([, text]) => text)).toEqual(['One.', 'Two.', 'SEAL', 'So.']);
    }
  });

  it('may come as text and as a summary in parallel, each part emitted as soon as the one before has ended', () => {
    const words = { type: 'response.reasoning_text.delta', output_index: 0, content_index: 0 };
    const whole = { ...item, content: [{ type: 'reasoning_text', text: 'Hm, hm.' }] };
    const step = openaiResponses.decodeStream(context());
    const out: ModelEvent[] = [];
    const events = [created, { ...words, delta: 'Hm' }, thought(0, 'One'), { ...words, delta: ', hm.' }, thought(0, '.'), { type: 'response.reasoning_text.done', output_index: 0, content_index: 0 }, thought(1, 'Two')];
    for (const event of events) step.push({ event: '', data: JSON.stringify(event) }, out);
    expect(out.at(-1)).toEqual({ type: 'block-delta', index: 2, delta: { type: 'thinking', text: 'Two' } });
    step.push({ event: '', data: JSON.stringify(done(0, whole)) }, out);
    step.push({ event: '', data: JSON.stringify(completed([whole])) }, out);
    assertGrammar(out);
    expect(namesOf(out)).toEqual([['thinking', 'Hm, hm.'], ['thinking', 'One.'], ['thinking', 'Two.'], ['redacted-thinking', 'SEAL']]);
  }); // oxfmt-ignore

  const reasoned = (index: number, delta: string): JsonObject => ({ type: 'response.reasoning_text.delta', output_index: 0, content_index: index, delta }); // oxfmt-ignore
  const both = (summary: readonly string[], content: readonly string[]): JsonObject => ({
    type: 'reasoning',
    id: 'rs_1',
    summary: summary.map((text) => ({ type: 'summary_text', text })),
    content: content.map((text) => ({ type: 'reasoning_text', text })),
  });

  it.each<[string, readonly JsonObject[], JsonObject, string, boolean]>([
    ['as text, then as a summary', [reasoned(0, 'Hm, '), reasoned(0, 'hm.'), thought(0, 'Hm'), thought(0, ', hm.')], both(['Hm, hm.'], ['Hm, hm.']), 'Hm, hm.', false],
    ['as a summary, then as text', [thought(0, 'Hm, hm.'), reasoned(0, 'Hm, '), reasoned(0, 'hm.')], both(['Hm, hm.'], ['Hm, hm.']), 'Hm, hm.', true],
    ['in turns', [reasoned(0, 'Hm'), thought(0, 'Hm'), reasoned(0, ', hm.'), thought(0, ', hm.')], both(['Hm, hm.'], ['Hm, hm.']), 'Hm, hm.', false],
    ['in other parts', [reasoned(0, 'Hm.\n\nOh.'), thought(0, 'Hm.'), thought(1, 'Oh.')], both(['Hm.', 'Oh.'], ['Hm.\n\nOh.']), 'Hm.\n\nOh.', false],
    ['as text, and as a summary at the end alone', [reasoned(0, 'Hm.')], both(['Hm.'], ['Hm.']), 'Hm.', false],
    ['at the end alone', [], both(['Hm.'], ['Hm.']), 'Hm.', false],
  ])('in two representations of the same words is emitted once: %s', (_, events, item, words, isSummary) => {
    const block = { type: 'thinking', mark: { ...mark, ...(isSummary && { isSummary }) } };
    for (const end of [[done(0, item), completed([item])], [done(0, item), completed()], [completed([item])]]) {
      const { blocks } = fold(decode([created, added(0, { ...item, summary: [], content: [] }), ...events, ...end]));
      expect(blocks.map(({ start }) => start)).toEqual([block]);
      expect(namesOf(decode([created, ...events, ...end]))).toEqual([['thinking', words]]);
    }
    expect(namesOf(decodeWhole(response([item]))).map(([, text]) => text.replaceAll(/\s/g, ''))).toEqual([words.replaceAll(/\s/g, '')]);
  }); // oxfmt-ignore

  it.each<[string, readonly JsonObject[], JsonObject]>([
    ['from the beginning', [reasoned(0, 'Hm.'), thought(0, 'Oh.')], both(['Oh.'], ['Hm.'])],
    ['at its end', [reasoned(0, 'Hm, hm.'), thought(0, 'Hm'), thought(0, ', no.')], both(['Hm, no.'], ['Hm, hm.'])],
    ['by being shorter', [reasoned(0, 'Hm, hm.'), thought(0, 'Hm')], both(['Hm'], ['Hm, hm.'])],
    ['by being longer', [reasoned(0, 'Hm'), thought(0, 'Hm, '), thought(0, 'hm.')], both(['Hm, hm.'], ['Hm'])],
    ['in a later part', [reasoned(0, 'Hm.'), thought(0, 'Hm.'), thought(1, 'Oh.')], both(['Hm.', 'Oh.'], ['Hm.'])],
  ])('whose summary differs is emitted with it: %s', (_, events, item) => {
    const { summary, content } = item as { summary: readonly { text: string }[]; content: readonly { text: string }[] };
    const words = [...content, ...summary].map(({ text }) => text);
    for (const end of [[done(0, item), completed([item])], [completed([item])]])
      expect(namesOf(decode([created, ...events, ...end])).map(([, text]) => text)).toEqual(words);
    const whole = namesOf(decodeWhole(response([item]))).map(([, text]) => text);
    expect(whole.toSorted()).toEqual(words.toSorted());
  });

  it('loses nothing that was held back where the end has no such item', () => {
    const events = decode([
      created,
      added(0, both([], [])),
      reasoned(0, 'Hm.'),
      thought(0, 'Hm.'),
      textPiece(1, 'So.'),
      completed([message('So.')]),
    ]);
    expect(namesOf(events).map(([, text]) => text)).toEqual(['Hm.', 'So.', 'Hm.']);
  });

  it('with the same words in two items is emitted twice', () => {
    const [one, other] = [both(['Hm.'], []), { ...both(['Hm.'], []), id: 'rs_2' }];
    const second = { ...thought(0, 'Hm.'), item_id: 'rs_2', output_index: 1 };
    const events = decode([created, thought(0, 'Hm.'), done(0, one), second, done(1, other), completed([one, other])]);
    for (const each of [events, decodeWhole(response([one, other]))])
      expect(namesOf(each)).toEqual([['thinking', 'Hm.'], ['thinking', 'Hm.']]);
    const [text, summary] = [both([], ['Hm.']), { ...both(['Hm.'], []), id: 'rs_2' }];
    const mixed = decode([created, reasoned(0, 'Hm.'), done(0, text), second, done(1, summary), completed([text, summary])]);
    for (const each of [mixed, decodeWhole(response([text, summary]))])
      expect(namesOf(each)).toEqual([['thinking', 'Hm.'], ['thinking', 'Hm.']]);
  }); // oxfmt-ignore

  it('may come as text', () => {
    const thought = { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] };
    const events = decode([
      { type: 'response.reasoning_text.delta', output_index: 0, content_index: 0, delta: 'Hm' },
      done(0, thought),
      completed([thought]),
    ]);
    for (const one of [events, decodeWhole(response([thought]))]) expect(namesOf(one)).toEqual([['thinking', 'Hm.']]);
  });
});

describe('parts whose index is not their position', () => {
  const part = (kind: string, index: number, delta: string): JsonObject => ({ type: `response.${kind}.delta`, output_index: 0, [kind === 'reasoning_summary_text' ? 'summary_index' : 'content_index']: index, delta }); // oxfmt-ignore
  const texts = (...all: readonly string[]): JsonObject[] => all.map((text) => ({ type: 'output_text', text }));
  const refusals = (...all: readonly string[]): JsonObject[] => all.map((refusal) => ({ type: 'refusal', refusal }));
  const textPiece = (content: readonly JsonObject[]): JsonObject => ({ id: 'msg_1', type: 'message', role: 'assistant', content }); // oxfmt-ignore
  const thinks = (summary: readonly JsonObject[], content: readonly JsonObject[] = []): JsonObject => ({ type: 'reasoning', id: 'rs_1', summary, content }); // oxfmt-ignore

  it.each<[string, readonly JsonObject[], JsonObject, readonly [string, string][]]>([
    ['a text', [part('output_text', 1, 'One')], textPiece(texts('One')), [['text', 'One']]],
    ['a text that came in part', [part('output_text', 1, 'On')], textPiece(texts('One')), [['text', 'One']]],
    ['several', [part('output_text', 1, 'One'), part('output_text', 2, 'Two')], textPiece(texts('One', 'Two')), [['text', 'One'], ['text', 'Two']]],
    ['a text, and one that came in no event', [part('output_text', 4, 'One')], textPiece(texts('One', 'Two')), [['text', 'One'], ['text', 'Two']]],
    ['a text behind a refusal', [part('refusal', 1, 'No'), part('output_text', 2, 'One')], textPiece([...refusals('No'), ...texts('One')]), [['text', 'No'], ['text', 'One']]],
    ['a refusal', [part('refusal', 1, 'No')], textPiece(refusals('No')), [['text', 'No']]],
    ['a summary', [part('reasoning_summary_text', 1, 'One'), part('reasoning_summary_text', 2, 'Two')], thinks(texts('One', 'Two')), [['thinking', 'One'], ['thinking', 'Two']]],
    ['its own words', [part('reasoning_text', 1, 'Hm')], thinks([], texts('Hm')), [['thinking', 'Hm']]],
    ['its own words beside a summary', [part('reasoning_text', 1, 'Hm'), part('reasoning_summary_text', 3, 'One')], thinks(texts('One'), texts('Hm')), [['thinking', 'Hm'], ['thinking', 'One']]],
    ['a text that came in no event, before one that did', [part('output_text', 1, 'Two')], textPiece(texts('One', 'Two')), [['text', 'Two'], ['text', 'One']]],
    ['a text of an index that another has', [part('output_text', 1, 'One')], textPiece(texts('One', 'Two')), [['text', 'One'], ['text', 'Two']]],
    ['a text behind one that came in no event', [part('output_text', 5, 'Two')], textPiece(texts('One', 'Two')), [['text', 'Two'], ['text', 'One']]],
    ['reasoning that is a summary at the end', [part('reasoning_text', 0, 'Hm')], thinks(texts('Hm')), [['thinking', 'Hm']]],
    ['a summary that is reasoning at the end', [part('reasoning_summary_text', 0, 'Hm')], thinks([], texts('Hm')), [['thinking', 'Hm']]],
  ])('are emitted once: %s', (_, events, item, expected) => {
    for (const end of [[done(0, item), completed([item])], [done(0, item), completed()], [completed([item])]])
      expect(namesOf(decode([created, ...events, ...end]))).toEqual(expected);
    const whole = namesOf(decodeWhole(response([item])));
    expect([...whole].sort()).toEqual([...expected].sort());
  }); // oxfmt-ignore

  it('are emitted once: texts that share an index', () => {
    const item = textPiece(texts('One', 'Two', 'Three'));
    for (const end of [[done(0, item), completed([item])], [completed([item])]]) {
      const events = decode([created, part('output_text', 0, 'One'), part('output_text', 0, 'Two'), ...end]);
      expect(namesOf(events)).toEqual([['text', 'OneTwo'], ['text', 'Three']]);
    }
  }); // oxfmt-ignore

  it.each<[string, readonly JsonObject[], JsonObject]>([
    ['a text', [added(1, { ...textPiece([]), id: 'msg_2' }), { ...part('output_text', 1, 'On'), output_index: 1 }], textPiece(texts('One'))],
    ['a text of an item without a name', [{ ...part('output_text', 0, 'On'), output_index: 4 }], textPiece(texts('One'))],
    ['reasoning', [added(1, { ...thinks([]), id: 'rs_2' }), { ...part('reasoning_text', 1, 'On'), output_index: 1 }], thinks([], texts('One'))],
    ['a call', [added(1, { type: 'function_call', id: 'fc_2', call_id: 'c_2', name: 'f' }), { type: 'response.function_call_arguments.delta', output_index: 1, delta: 'One' }], { type: 'function_call', id: 'fc_1', call_id: 'c_1', name: 'f', arguments: 'One' }],
  ])('are emitted once where the end has another id and index: %s', (_, events, item) => {
    const blocks = namesOf(decode([created, ...events, completed([item])]));
    expect(blocks).toEqual([[expect.any(String), 'One']]);
  }); // oxfmt-ignore

  it('are unchanged where the end has other blanks', () => {
    const item = textPiece(texts('One', 'Two'));
    const events = decode([created, part('output_text', 1, '\n'), part('output_text', 1, 'One'), completed([item])]);
    expect(namesOf(events)).toEqual([['text', '\nOne'], ['text', 'Two']]);
  }); // oxfmt-ignore

  it('are all emitted where the end has other content', () => {
    const item = textPiece(texts('Two'));
    const events = [added(1, { ...textPiece([]), id: 'msg_2' }), { ...part('output_text', 0, 'One'), output_index: 1 }];
    expect(namesOf(decode([created, ...events, completed([item])]))).toEqual([['text', 'One'], ['text', 'Two']]);
  }); // oxfmt-ignore

  it('have their own citations, whatever index these name', () => {
    const annotation = { type: 'url_citation', url: 'https://a.test', title: 'A' };
    const item = textPiece([{ type: 'output_text', text: 'One', annotations: [annotation] }]);
    const cites = { type: 'response.output_text.annotation.added', output_index: 0, content_index: 0, annotation };
    const events = decode([created, part('output_text', 1, 'One'), cites, done(0, item), completed([item])]);
    expect(fold(events).blocks).toMatchObject([{ text: 'One', citations: [{ url: 'https://a.test' }] }]);
    expect(fold(events).blocks).toHaveLength(1);
  });
});

describe('messages that repeat the one before', () => {
  const messageOf = (index: number, text: string): JsonObject => message(text, { id: `msg_${index}` });
  const pieces = (index: number, text: string): JsonObject[] =>
    (text.match(/[^]{1,2}/g) ?? []).map((delta) => textPiece(index, delta));
  const thought = { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'Hm' }] };
  const call = { type: 'function_call', id: 'fc', call_id: 'c', name: 'f', arguments: '{}' };
  const MANTLE: Quirks = { repeatsMessages: true };

  it.each<[string, readonly (string | JsonObject)[], readonly string[], readonly string[]]>([
    ['with more of it', ['On', 'One, t', 'One, two.'], ['On', 'e, t', 'wo.'], ['On', 'One, t', 'One, two.']],
    ['whole', ['One', 'One'], ['One'], ['One', 'One']],
    ['behind reasoning', ['One', thought, 'One two'], ['One', 'Hm', ' two'], ['One', 'Hm', 'One two']],
    ['with another text', ['One two', 'One three'], ['One two', 'One three'], ['One two', 'One three']],
    ['with less of it', ['One', 'On'], ['One', 'On'], ['One', 'On']],
    ['behind a call', ['One', call, 'One two'], ['One', '{}', 'One two'], ['One', '{}', 'One two']],
  ])('are emitted once, %s, where their provider does so', (_, texts, once, twice) => {
    const output = texts.map((one, index) => (typeof one === 'string' ? messageOf(index, one) : one));
    const streamed = texts.flatMap((one, index) => [
      added(index, { ...output[index], content: [], summary: [], arguments: '' }),
      ...(typeof one === 'string' ? pieces(index, one) : []),
      done(index, output[index]!),
    ]);
    for (const [quirks, expected] of [[MANTLE, once], [{}, twice]] as const) {
      const texted = (events: readonly ModelEvent[]) => namesOf(events).map(([, text]) => text);
      expect(texted(decode([created, ...streamed, completed(output)], context({}, quirks)))).toEqual(expected);
      expect(texted(decodeWhole(response(output), context({}, quirks)))).toEqual(expected);
    }
  }); // oxfmt-ignore
});

describe('what the vendor adds', () => {
  const page = (start: number, end: number): JsonObject => ({ type: 'url_citation', url: 'https://a.test', title: 'A', start_index: start, end_index: end }); // oxfmt-ignore
  const cites = (annotation: JsonObject): JsonObject => ({ type: 'response.output_text.annotation.added', output_index: 0, content_index: 0, annotation }); // oxfmt-ignore

  it('cites each range once, in the first text that contains it', () => {
    const file = { type: 'file_citation', file_id: 'f', filename: 'a.pdf', index: 3 };
    const item = message('Rome. Rome.', {}, { annotations: [page(0, 4), page(6, 10), file] }); // oxfmt-ignore
    const second = message('Oslo.', { id: 'msg_2' }, { annotations: [page(0, 4)] });
    const streamed = decode([created, textPiece(0, 'Rome. Rome.'), cites(page(0, 4)), cites(page(0, 4)), cites(file), cites(file), done(0, item), done(1, second), completed([item, second])]); // oxfmt-ignore
    for (const events of [streamed, decodeWhole(response([item, second]))]) {
      const cited = fold(events).blocks.map(({ citations }) => citations);
      // The stream has the file before the second page.
      expect(cited.map((all) => new Set(all.map(annotationOf)))).toEqual([
        new Set([page(0, 4), page(6, 10), file]),
        new Set([page(0, 4)]),
      ]);
      expect(cited.map((all) => all.map(readWebCitation).filter(Boolean))).toEqual([
        [{ url: 'https://a.test', title: 'A', span: { start: 0, end: 4 } }, { url: 'https://a.test', title: 'A', span: { start: 6, end: 10 } }],
        [{ url: 'https://a.test', title: 'A' }],
      ]); // oxfmt-ignore
    }
  });

  it('emits log probabilities where they were requested', () => {
    const [a, b] = [{ token: 'a', logprob: -0.1 }, { token: 'b', logprob: -0.2 }] as const; // oxfmt-ignore
    const item = message('ab', {}, { logprobs: [a, b] });
    const streamed = [{ ...textPiece(0, 'a'), logprobs: [a] }, textPiece(0, 'b'), done(0, item), completed([item])];
    const withLogprobs = context({ sampling: { logprobs: true } });
    const likelihoods = (events: ModelEvent[]): unknown => fold(events).blocks[0]!.opaqueDeltas.map(({ vendor, value }) => [vendor, value['logprobs']]); // oxfmt-ignore
    expect(likelihoods(decode(streamed, withLogprobs))).toEqual([['openai', { content: [a] }], ['openai', { content: [b] }]]); // oxfmt-ignore
    expect(likelihoods(decodeWhole(response([item]), withLogprobs))).toEqual([['openai', { content: [a, b] }]]);
    expect(likelihoods(decode(streamed))).toEqual([]);
  });

  it('is emitted whole where only the vendor can read it, and counted', () => {
    const items = [
      { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'q' } },
      { type: 'web_search_call', id: 'ws_2', action: { type: 'open_page', url: 'https://a.test' } },
      { type: 'something_new', id: 'x' },
    ];
    const reply = fold(decodeWhole(response(items)));
    expect(reply.blocks.map(({ start }) => start)).toEqual(
      items.map((value) => ({ type: 'opaque', opaque: { vendor: 'openai-responses', value } })),
    );
    expect(reply.usage).toMatchObject({ webSearchRequests: 1, ranVendorTools: true });
    expect(reply.stop.unified).toBe('end-turn');
    const shortened = fold(decodeWhole(response([{ type: 'compaction', id: 'c', encrypted_content: 'x' }])));
    expect(shortened.usage.ranVendorTools).toBeUndefined();
  });

  it('is the phase of a text', () => {
    const item = message('Looking.', { phase: 'commentary' });
    const streamed = decode([created, added(0, message('', { phase: 'commentary' })), textPiece(0, 'Looking.'), completed([item])]); // oxfmt-ignore
    for (const events of [streamed, decodeWhole(response([item]))]) {
      expect(fold(events).blocks[0]!.start).toEqual({
        type: 'text',
        phase: 'commentary',
        extras: { vendor: 'openai-responses', value: { id: 'msg_1' } },
      });
    }
  });
});

describe('how it ends', () => {
  const refuses = { id: 'msg_1', type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] };
  it.each<[string, JsonObject, string, string | null]>([
    ['well', response([message('x')]), 'end-turn', 'completed'],
    ['without a status', response([message('x')], { status: null }), 'end-turn', null],
    ['with a call', response([message('x'), call('{}')]), 'tool-use', 'completed'],
    ['with a refusal', response([refuses]), 'refusal', 'completed'],
    ['at its limit', response([message('x')], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }), 'output-limit', 'max_output_tokens'],
    ['filtered', response([], { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }), 'content-filter', 'content_filter'],
    ['for an unknown reason', response([], { status: 'incomplete', incomplete_details: { reason: 'toString' } }), 'other', 'toString'],
    ['for no reason', response([], { status: 'incomplete' }), 'other', 'incomplete'],
  ])('%s', (_what, body, unified, raw) => {
    const type = body['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed';
    for (const events of [decodeWhole(body), decode([created, { type, response: body }])]) {
      expect(fold(events).stop).toEqual({ unified, raw, vendor: 'openai-responses' });
    }
  }); // oxfmt-ignore

  it('emits a refusal as a separate text', () => {
    const events = decode([created, { type: 'response.refusal.delta', output_index: 0, delta: 'N' }, done(0, refuses), completed([refuses])]); // oxfmt-ignore
    expect(fold(events).blocks).toMatchObject([{ text: 'No.', start: { extras: { value: { type: 'refusal' } } } }]);
  });

  it('emits a refusal with the id and phase of its message, also where it is all of it', () => {
    const said = { ...refuses, phase: 'final_answer' };
    const delta = { type: 'response.refusal.delta', output_index: 0, item_id: 'msg_1', delta: 'N' };
    const extras = { vendor: 'openai', value: { type: 'refusal', id: 'msg_1' } };
    for (const events of [decode([created, added(0, { ...said, content: [] }), delta, done(0, said), completed([said])]), decodeWhole(response([said]))])
      expect(fold(events).blocks.map(({ start }) => start)).toEqual([{ type: 'text', phase: 'final_answer', extras }]);
  }); // oxfmt-ignore

  it.each<[JsonObject | null, JsonObject]>([
    [{ input_tokens: 100, input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 }, output_tokens: 9, output_tokens_details: { reasoning_tokens: 4 } }, { inputTokens: 10, cacheReadTokens: 60, cacheWriteTokens: 30, outputTokens: 9, reasoningTokens: 4 }],
    [{ input_tokens: 10, input_tokens_details: { cached_tokens: 60 }, output_tokens: 9, output_tokens_details: { reasoning_tokens: 40 } }, { inputTokens: 10, outputTokens: 9 }],
    [{ input_tokens: 100, input_tokens_details: { cached_tokens: 60, cache_creation_tokens: 30 }, output_tokens: 9 }, { inputTokens: 10, cacheReadTokens: 60, cacheWriteTokens: 30, outputTokens: 9 }],
    [{ input_tokens: 100, input_tokens_details: { cached_tokens: 60, cache_creation_input_tokens: 30 }, cache_read_input_tokens: 60, cache_creation_input_tokens: 30, output_tokens: 9, total_tokens: 109 }, { inputTokens: 10, cacheReadTokens: 60, cacheWriteTokens: 30, outputTokens: 9 }],
    [{ input_tokens: 10, input_tokens_details: { cached_tokens: 0 }, cache_read_input_tokens: 60, cache_creation_input_tokens: 30, cache_creation: { ephemeral_1h_input_tokens: 20 }, output_tokens: 9, total_tokens: 109 }, { inputTokens: 10, cacheReadTokens: 60, cacheWriteTokens: 10, cacheWrite1hTokens: 20, outputTokens: 9 }],
    [{ input_tokens: 0, output_tokens: 9, cost_details: { upstream_inference_input_cost: 0, upstream_inference_output_cost: 0.1 } }, { inputTokens: 0, outputTokens: 9, promptIsFree: true }],
    [{ input_tokens: 0, output_tokens: 9, cost_details: { upstream_inference_input_cost: 0.1 } }, { inputTokens: 0, outputTokens: 9 }],
    [{ input_tokens: -1, output_tokens: 'x' }, {}],
    [{ input_tokens: 1, output_tokens: 2, server_side_tool_usage_details: { web_search_calls: 3 } }, { inputTokens: 1, outputTokens: 2, webSearchRequests: 3 }],
    [{ input_tokens: 1, output_tokens: 2, server_tool_use_details: { web_search_requests: 4 } }, { inputTokens: 1, outputTokens: 2, webSearchRequests: 4 }],
    [null, {}],
  ])('counts %j as %j', (usage, figures) => {
    for (const events of [decodeWhole(response([message('x')], { usage })), decode([created, completed([message('x')], { usage })])]) {
      const { extras: _extras, ...counted } = fold(events).usage;
      expect(counted).toEqual(figures);
    }
  }); // oxfmt-ignore

  const DRAWN = { input_tokens: 50, input_tokens_details: { image_tokens: 0, text_tokens: 50 }, output_tokens: 4_160, output_tokens_details: { image_tokens: 4_160, text_tokens: 0 }, total_tokens: 4_210 }; // oxfmt-ignore
  const NOTHING_DRAWN = {
    input_tokens: 0,
    output_tokens: 0,
    output_tokens_details: { image_tokens: 0, text_tokens: 0 },
  };
  const USED = { input_tokens: 100, input_tokens_details: { cached_tokens: 60 }, output_tokens: 9, output_tokens_details: { reasoning_tokens: 4 } }; // oxfmt-ignore
  const COUNTED = { inputTokens: 40, cacheReadTokens: 60, outputTokens: 9, reasoningTokens: 4 };
  const WITH_PICTURE = { ...COUNTED, inputTokens: 90, outputTokens: 4_169, imageTokens: 4_160 };
  it.each<[string, JsonObject | null, JsonObject | null, JsonObject]>([
    ['a picture', USED, { image_gen: DRAWN, web_search: { num_requests: 0 } }, WITH_PICTURE],
    ['a picture and words of the tool', USED, { image_gen: { ...DRAWN, output_tokens: 4_200, output_tokens_details: { image_tokens: 4_160, text_tokens: 40 } } }, { ...WITH_PICTURE, outputTokens: 4_209 }],
    ['a picture without details', USED, { image_gen: { input_tokens: 50, output_tokens: 4_160 } }, WITH_PICTURE],
    ['details that are larger than their whole', USED, { image_gen: { ...DRAWN, output_tokens_details: { image_tokens: 4_161 } } }, WITH_PICTURE],
    ['nothing', USED, { image_gen: NOTHING_DRAWN, web_search: { num_requests: 1 } }, COUNTED],
    ['figures that are none', USED, { image_gen: { input_tokens: -1, output_tokens: '4160', output_tokens_details: 7 } }, COUNTED],
    ['no object', USED, { image_gen: [] }, COUNTED],
    ['no tools', USED, null, COUNTED],
    ['a picture, and no side of the model', { input_tokens: 'x', output_tokens: 9 }, { image_gen: DRAWN }, { outputTokens: 4_169, imageTokens: 4_160 }],
    ['a picture, and no usage', null, { image_gen: DRAWN }, {}],
  ])('counts %s of the tool that draws', (_what, usage, tool_usage, figures) => {
    const body = response([message('x')], { usage, tool_usage });
    for (const events of [decodeWhole(body), decode([created, { type: 'response.completed', response: body }])]) {
      const { extras, ...counted } = fold(events).usage;
      expect(counted).toEqual(figures);
      // The vendor's own object stays unchanged.
      expect(extras?.value).toEqual(usage ?? undefined);
    }
  }); // oxfmt-ignore

  it('names the tier it was served in, and what a limit does not hold for', () => {
    const events = decodeWhole(response([message('x')], { service_tier: 'flex' }), context({}, { countsReasoningApart: true })); // oxfmt-ignore
    expect(fold(events).usage).toMatchObject({ serviceTier: 'flex', reasoningIsApart: true });
  });
});

describe('a failure', () => {
  it.each<[string, Event, string, string]>([
    ['of the reply', { type: 'response.failed', response: response([], { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow.' } }) }, 'rate-limited', 'Slow.'],
    ['about an image', { type: 'response.failed', response: response([], { status: 'failed', error: { code: 'invalid_image', message: 'No.' } }) }, 'rejected-request', 'No.'],
    ['that is not explained', { type: 'response.failed', response: response([], { status: 'failed' }) }, 'server-error', 'The provider failed while it answered.'],
    ['as an event', { type: 'error', code: 'server_error', message: 'Oh.', param: null, sequence_number: 2 }, 'server-error', 'Oh.'],
    ['as an event that holds one', { type: 'error', error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'Long.' } }, 'rejected-request', 'Long.'],
    ['as an event without a name', { error: { code: 429, message: 'Slow.' } }, 'rate-limited', 'Slow.'],
    ['as the end of a reply that was cancelled', completed([message('x')], { status: 'cancelled' }), 'malformed-reply', 'The provider\'s reply was cancelled.'],
    ['as broken JSON', '{"type":', 'malformed-reply', 'The provider sent an event that is not valid JSON.'],
  ])('%s', (_what, event, kind, words) => {
    expect(faultOf(() => decode([created, event]))).toMatchObject({ kind, message: words });
  }); // oxfmt-ignore

  it('is a reply that stops in its midst', () => {
    const fault = faultOf(() => decode([created, textPiece(0, 'x'), done(0, message('x')), '[DONE]']));
    expect(fault).toMatchObject({ kind: 'malformed-reply', detail: { isCut: true } });
  });

  it.each([
    [{ error: { message: 'No.', code: 'insufficient_quota' } }, 'payment-required'],
    [response([], { status: 'failed', error: { code: 'server_error', message: 'x' } }), 'server-error'],
    [response([], { status: 'in_progress' }), 'malformed-reply'],
    [response([], { status: 'cancelled' }), 'malformed-reply'],
    [response([message('x')], { status: 'cancelled' }), 'malformed-reply'],
    [{ ...response([]), output: 'x' }, 'malformed-reply'],
    [response([{ type: 'function_call', call_id: 'c', arguments: '{}' }]), 'malformed-reply'],
  ] as const)('is the whole body %j', (body, kind) => {
    expect(faultOf(() => decodeWhole(body)).kind).toBe(kind);
  });
});

describe('calls of tools that are no functions', () => {
  const vendor = 'openai-responses' as const;
  const tool = (name: string, type: string) => ({ type: 'function' as const, name, inputSchema: {}, origin: { vendor, value: { type, name } } }); // oxfmt-ignore
  const own = context({ tools: [tool('patch', 'custom'), tool('shell', 'shell')] });
  const custom = (input: string): JsonObject => ({ id: 'ctc_1', type: 'custom_tool_call', call_id: 'c1', name: 'patch', input }); // oxfmt-ignore
  /** Streamed and whole. */
  const argumentsOf = (events: readonly Event[], item: JsonObject): string[] =>
    [decode(events, own), decodeWhole(response([item]), own)].map((read) => fold(read).blocks[0]!.text);

  it('becomes the one argument of a function, wherever its text is cut', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1 }),
        fc.array(fc.nat(20), { maxLength: 4 }),
        (input, cuts) => {
          const ends = [...new Set([...cuts.filter((cut) => cut < input.length), input.length])].toSorted((a, b) => a - b); // oxfmt-ignore
          const pieces = ends.map((end, index) => input.slice(index === 0 ? 0 : ends[index - 1], end));
          const grown = pieces.map((delta): JsonObject => ({ type: 'response.custom_tool_call_input.delta', item_id: 'ctc_1', output_index: 0, delta })); // oxfmt-ignore
          const item = custom(input);
          const events = [created, added(0, custom('')), ...grown, done(0, item), completed([item])];
          for (const json of argumentsOf(events, item)) {
            expect(JSON.parse(json)).toEqual({ input: JSON.parse(JSON.stringify(input)) });
          }
        },
      ),
    );
  });

  it('are whole where they come with their item alone', () => {
    const item = { type: 'shell_call', id: 'sh_1', call_id: 'c1', action: { commands: ['ls'] }, status: 'completed' };
    const events = [created, added(0, { ...item, action: {} }), done(0, item), completed([item])];
    expect(argumentsOf(events, item)).toEqual(['{"commands":["ls"]}', '{"commands":["ls"]}']);
    expect(argumentsOf([created, completed([custom('')])], custom(''))).toEqual(['{"input":""}', '{"input":""}']); // oxfmt-ignore
  });

  it('stay items of the vendor where the request has no such tool', () => {
    const events = decodeWhole(response([custom('a')]));
    expect(events.find(({ type }) => type === 'block-start')).toMatchObject({ block: { type: 'opaque' } });
  });
});
