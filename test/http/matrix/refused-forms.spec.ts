/**
 * Goal: what a caller may send, and one vendor or another refuses, reaches each of them in a form that it takes, and
 * what is taken stays as it was sent. Method: the application over HTTP before strict doubles (test/support/doubles), a
 * form a test, on every dialect and platform, whole and streamed: nothing is refused, and the body that the double was
 * sent holds what is left of the form.
 */
import { describeOnEmbedded } from '../../support/database.js';
import type { JsonBody } from '../../support/recorded-request.js';
import { FACES, type TestFace } from '../translation-bench.js';
import { MatrixBench, PAIRS, type Pair } from './bench.js';
import { ANSWER, IMAGE, MAX_TOKENS, QUESTION, TIME, WEATHER, schemaOf } from './cases.js';

const METADATA = { 'x-router-metadata': 'enabled' };
/** One way of access to each dialect on each platform. */
const PLACES = PAIRS.filter(({ id }) => !id.includes('-by-'));
const CLAUDES = PLACES.filter(({ dialect }) => dialect === 'anthropic-messages');
const isClaude = ({ model }: Pair): boolean => model.includes('claude');
const [MESSAGES, CHAT] = FACES as readonly [TestFace, TestFace];

interface Outcome {
  /** As the double was sent it. */
  readonly sent: JsonBody;
  /** The names that the caller receives as dropped. */
  readonly dropped: readonly string[];
  readonly headers: JsonBody;
}

describeOnEmbedded('forms that a vendor refuses', (database) => {
  let bench: MatrixBench;
  beforeAll(async () => {
    bench = await MatrixBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  /** Whole and streamed: the same goes out, and nothing is refused. */
  async function ask(face: TestFace, pair: Pair, body: object, headers: Record<string, string> = {}): Promise<Outcome> {
    const double = bench.doubleOf(pair);
    double.violations.length = 0;
    double.script({ parts: [{ type: 'text', text: ANSWER }] });
    const bodies: JsonBody[] = [];
    let dropped: readonly string[] = [];
    for (const stream of [false, true]) {
      const whole = { model: pair.id, max_tokens: MAX_TOKENS, stream, ...body };
      const response = await bench.send(face.path, whole, { ...METADATA, ...headers });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${pair.id} ${response.status} ${text}`);
      const seen = stream ? face.streamed(text) : face.whole(JSON.parse(text));
      expect(seen.text).toBe(ANSWER);
      if (!stream) dropped = JSON.parse(text).router_metadata.attempts[0].dropped ?? [];
      const { stream: _stream, stream_options: _options, ...sent } = double.calls.at(-1)!.body;
      bodies.push(sent);
    }
    expect(double.violations).toEqual([]);
    expect(bodies[1]).toEqual(bodies[0]);
    return { sent: bodies[0], dropped, headers: double.calls.at(-1)!.headers };
  }

  const tools = (face: TestFace): JsonBody[] => [WEATHER, TIME].map(({ name }) => face.tool(name, schemaOf(name)));
  const results = (face: TestFace): JsonBody[] =>
    face.results([WEATHER, TIME].map(({ id, name }) => ({ id, text: `${name}: fine` })));

  describe.each(PLACES)('$id', (pair) => {
    it.each(FACES)('$name: calls in two turns that are answered together', async (face) => {
      const calls = [...face.calls(WEATHER), ...face.calls(TIME)];
      const { sent } = await ask(face, pair, {
        tools: tools(face),
        messages: [...face.user(QUESTION), ...calls, ...results(face)],
      });
      const printed = JSON.stringify(sent);
      for (const word of [WEATHER.name, TIME.name, 'get_weather: fine', 'get_time: fine'])
        expect(printed).toContain(word);
    });

    it.each(FACES)('$name: results with other content between them', async (face) => {
      const [weather, time] = [WEATHER, TIME].map(({ id, name }) => face.results([{ id, text: `${name}: fine` }]));
      const calls = [...face.user(QUESTION), ...face.calls(WEATHER, TIME)];
      const instructions = { role: 'system', content: 'Wait.' };
      for (const between of [face.user('Wait.'), [instructions], [...face.user('Wait.'), instructions]]) {
        const { sent } = await ask(face, pair, {
          tools: tools(face),
          messages: [...calls, ...weather!, ...between, ...time!],
        });
        const printed = JSON.stringify(sent);
        const [first, second, words] = ['get_weather: fine', 'get_time: fine', 'Wait.'].map((one) =>
          printed.indexOf(one),
        );
        expect(first).toBeGreaterThan(0);
        expect(second).toBeGreaterThan(first!);
        expect(words).toBeGreaterThan(second!);
      }
    });

    it('messages: words between and in front of the results of one turn', async () => {
      const [weather, time] = results(MESSAGES).flatMap(({ content }) => content);
      const words = { type: 'text', text: 'Wait.' };
      const calls = [...MESSAGES.user(QUESTION), ...MESSAGES.calls(WEATHER, TIME)];
      for (const content of [
        [weather, words, time],
        [words, weather, time],
      ]) {
        const messages = [...calls, { role: 'user', content }];
        const { sent } = await ask(MESSAGES, pair, { tools: tools(MESSAGES), messages });
        const printed = JSON.stringify(sent);
        expect(printed.indexOf('Wait.')).toBeGreaterThan(printed.indexOf('get_time: fine'));
      }
    });

    it.each(FACES)('$name: an empty turn of the assistant, in the midst and at the end', async (face) => {
      const empty = { role: 'assistant', content: '' };
      const midst = await ask(face, pair, { messages: [...face.user(QUESTION), empty, ...face.user('And now?')] });
      expect(JSON.stringify(midst.sent)).toContain('And now?');
      await ask(face, pair, { messages: [...face.user(QUESTION), empty] });
      if (face.name === 'messages') {
        await ask(face, pair, {
          messages: [...face.user(QUESTION), { role: 'assistant', content: [] }, ...face.user('And now?')],
        });
      }
    });

    it.each(FACES)('$name: a choice of a tool that is absent is refused by name', async (face) => {
      const choice =
        face.name === 'chat' ? { type: 'function', function: { name: 'absent' } } : { type: 'tool', name: 'absent' };
      const body = {
        model: pair.id,
        max_tokens: MAX_TOKENS,
        tools: tools(face),
        tool_choice: choice,
        messages: face.user(QUESTION),
      };
      for (const stream of [false, true]) {
        const response = await bench.send(face.path, { ...body, stream });
        const { error } = (await response.json()) as JsonBody;
        expect([response.status, error.message]).toEqual([400, expect.stringMatching(/tool_choice.*absent/)]);
      }
    });

    it('messages: a failed result with a picture', async () => {
      const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: IMAGE } };
      const result = {
        type: 'tool_result',
        tool_use_id: WEATHER.id,
        is_error: true,
        content: [{ type: 'text', text: 'See.' }, image],
      };
      const other = { type: 'tool_result', tool_use_id: TIME.id, content: 'noon' };
      const history = [
        ...MESSAGES.user(QUESTION),
        ...MESSAGES.calls(WEATHER, TIME),
        { role: 'user', content: [result, other] },
      ];
      const { sent } = await ask(MESSAGES, pair, { tools: tools(MESSAGES), messages: history });
      // Cohere's models see nothing in results of theirs either, and are sent it behind them all the same.
      expect(JSON.stringify(sent)).toContain(IMAGE);
      expect(JSON.stringify(sent)).toContain('See.');
    });

    it.each(FACES)('$name: a stop sequence of white space', async (face) => {
      const stops = ['\n', 'END'];
      const field = face.name === 'chat' ? { stop: stops } : { stop_sequences: stops };
      const { sent, dropped } = await ask(face, pair, { messages: face.user(QUESTION), ...field });
      if (isClaude(pair)) {
        expect(sent.stop_sequences ?? sent.inferenceConfig.stopSequences).toEqual(['END']);
        expect(dropped).toEqual(['stop_sequences']);
        const alone = face.name === 'chat' ? { stop: '\n' } : { stop_sequences: ['\n'] };
        const none = await ask(face, pair, { messages: face.user(QUESTION), ...alone });
        expect(JSON.stringify(none.sent)).not.toMatch(/stop_?sequences/i);
      } else if (!dropped.includes('stop_sequences')) {
        expect(JSON.stringify(sent)).toContain(JSON.stringify(stops));
      }
    });

    it('chat: a picture and a file of loose forms', async () => {
      const jpeg = Buffer.from('ffd8fffbfeff00ffd9', 'hex');
      const loose = jpeg.toString('base64url');
      const broken = `${jpeg.toString('base64').slice(0, 4)}\n${jpeg.toString('base64').slice(4)}`;
      const parts = [`data:image/jpg;base64,${loose}`, `data:image/JPG;base64,${broken}`].map((url) => ({
        type: 'image_url',
        image_url: { url },
      }));
      const { sent } = await ask(CHAT, pair, {
        messages: [{ role: 'user', content: [{ type: 'text', text: QUESTION }, ...parts] }],
      });
      const printed = JSON.stringify(sent);
      expect(printed.split(jpeg.toString('base64'))).toHaveLength(3);
      expect(printed).not.toContain('image/jpg');
    });
  });

  describe.each(PLACES.filter(isClaude))('$id', (pair) => {
    const marker = { type: 'ephemeral', ttl: '1h' };

    it('chat: a marker of a whole message', async () => {
      const messages = [
        { role: 'system', content: 'Be brief.', cache_control: marker },
        { role: 'user', content: [{ type: 'text', text: QUESTION }, { type: 'text', text: 'Well?' }], cache_control: marker },
        ...CHAT.calls(WEATHER).map((turn) => ({ ...turn, cache_control: marker })),
        { role: 'tool', tool_call_id: WEATHER.id, content: 'fine', cache_control: marker },
      ]; // oxfmt-ignore
      const { sent } = await ask(CHAT, pair, { tools: tools(CHAT), messages });
      expect(JSON.stringify(sent).split(/"(?:cache_control|cachePoint)":/)).toHaveLength(5);
    });

    it.each(FACES)('$name: markers that are null', async (face) => {
      const text = { type: 'text', text: QUESTION, cache_control: null };
      const marked = tools(face).map((tool) => ({ ...tool, cache_control: null }));
      const body = { cache_control: null, tools: marked, messages: [{ role: 'user', content: [text] }] };
      const { sent } = await ask(
        face,
        pair,
        face.name === 'chat' ? body : { ...body, system: [{ ...text, text: 'Be brief.' }] },
      );
      expect(JSON.stringify(sent)).not.toMatch(/ephemeral|cachePoint/);
    });

    it('messages: a picture of a loose type', async () => {
      const data = IMAGE.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
      const image = { type: 'image', source: { type: 'base64', media_type: 'image/jpg', data } };
      const { sent } = await ask(MESSAGES, pair, {
        messages: [{ role: 'user', content: [{ type: 'text', text: QUESTION }, image] }],
      });
      expect(JSON.stringify(sent)).toContain(IMAGE);
      expect(JSON.stringify(sent)).not.toContain('image/jpg');
    });
  });

  describe('fields of betas', () => {
    const FIELDS = ['eager_input_streaming', 'defer_loading', 'allowed_callers', 'input_examples', 'scope', 'caller'];
    const scope = { type: 'ephemeral', scope: 'global' };
    const body = {
      system: [{ type: 'text', text: 'Be brief.', cache_control: scope }],
      tools: [
        { ...MESSAGES.tool(WEATHER.name, schemaOf(WEATHER.name)), eager_input_streaming: true, input_examples: [{ city: 'a' }], cache_control: scope },
        { ...MESSAGES.tool(TIME.name, schemaOf(TIME.name)), defer_loading: true, allowed_callers: ['direct'] },
      ],
      messages: [
        { role: 'user', content: [{ type: 'text', text: QUESTION, cache_control: scope }] },
        { role: 'assistant', content: [{ type: 'tool_use', ...WEATHER, caller: { type: 'direct' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: WEATHER.id, content: [{ type: 'text', text: 'fine', cache_control: scope }] }] },
      ],
    }; // oxfmt-ignore
    /** For each platform: what stays, what is named as dropped, and the betas. */
    const KEPT: Readonly<Record<string, readonly [kept: readonly string[], dropped: readonly string[], betas: readonly string[]]>> = {
      direct: [FIELDS, [], ['advanced-tool-use-2025-11-20', 'prompt-caching-scope-2026-01-05']],
      azure: [FIELDS, [], ['advanced-tool-use-2025-11-20', 'prompt-caching-scope-2026-01-05']],
      vertex: [
        ['defer_loading'],
        ['cache_control.scope', 'tool_use.caller', 'tools.allowed_callers', 'tools.input_examples'],
        ['fine-grained-tool-streaming-2025-05-14', 'tool-search-tool-2025-10-19'],
      ],
      bedrock: [
        [],
        ['cache_control.scope', 'tool_use.caller', 'tools.allowed_callers', 'tools.defer_loading', 'tools.input_examples'],
        ['fine-grained-tool-streaming-2025-05-14'],
      ],
    }; // oxfmt-ignore
    const namedBy = ({ sent, headers }: Outcome): string[] =>
      sent.anthropic_beta ?? String(headers['anthropic-beta'] ?? '').split(',').filter(Boolean); // oxfmt-ignore

    it.each(CLAUDES)('$id', async (pair) => {
      const outcome = await ask(MESSAGES, pair, body);
      const [kept, dropped, betas] = KEPT[pair.platform]!;
      const printed = JSON.stringify(outcome.sent);
      expect(FIELDS.filter((field) => printed.includes(`"${field}":`))).toEqual(kept);
      expect([...outcome.dropped].sort()).toEqual(dropped);
      expect([...namedBy(outcome)].sort()).toEqual(betas);
      // What is kept stays as it was sent, and so does all beside what is dropped.
      const { system, messages } = outcome.sent;
      if (kept === FIELDS) expect({ system, tools: outcome.sent.tools, messages }).toEqual(body);
      else
        expect(JSON.stringify({ system, messages })).toBe(
          JSON.stringify({ system: body.system, messages: body.messages })
            .replaceAll(',"scope":"global"', '')
            .replaceAll(',"caller":{"type":"direct"}', ''),
        );
    });

    it.each(CLAUDES)('$id: that ask for nothing', async (pair) => {
      const idle = { eager_input_streaming: false, defer_loading: false, allowed_callers: [], input_examples: [] };
      const outcome = await ask(MESSAGES, pair, {
        tools: [{ ...MESSAGES.tool(WEATHER.name, schemaOf(WEATHER.name)), ...idle }],
        messages: MESSAGES.user(QUESTION),
      });
      expect([outcome.dropped, namedBy(outcome)]).toEqual([[], []]);
    });

    it.each(CLAUDES)('$id: whose betas the caller names', async (pair) => {
      const named = 'prompt-caching-scope-2026-01-05,advanced-tool-use-2025-11-20';
      const outcome = await ask(MESSAGES, pair, body, { 'anthropic-beta': named });
      const [, dropped, betas] = KEPT[pair.platform]!;
      const isCloud = pair.platform === 'vertex' || pair.platform === 'bedrock';
      expect([...outcome.dropped].sort()).toEqual([...(isCloud ? named.split(',') : []), ...dropped].sort());
      expect([...namedBy(outcome)].sort()).toEqual(betas);
    });

    /** Where chat and both faces put a marker that the body above has none of. */
    const MARKED: readonly (readonly [string, TestFace, (pair: Pair) => object])[] = [
      ['a marker of the whole request', MESSAGES, () => ({ messages: MESSAGES.user(QUESTION), cache_control: scope })],
      ['a marker of the whole request', CHAT, () => ({ messages: CHAT.user(QUESTION), cache_control: scope })],
      ['a marker of a text', CHAT, () => ({ messages: [{ role: 'user', content: [{ type: 'text', text: QUESTION, cache_control: scope }] }] })],
      ['a marker beside a function', CHAT, () => ({
        messages: CHAT.user(QUESTION), tools: [{ ...CHAT.tool(WEATHER.name, schemaOf(WEATHER.name)), cache_control: scope }],
      })],
      ['a marker in a function', CHAT, () => ({ messages: CHAT.user(QUESTION), tools: [markedInside()] })],
      ['a marker of a result', CHAT, () => {
        const [result] = results(CHAT);
        result!.content = [{ type: 'text', text: 'fine', cache_control: scope }];
        const calls = [{ id: WEATHER.id, type: 'function', function: { name: WEATHER.name, arguments: '{}' } }];
        return { tools: tools(CHAT), messages: [...CHAT.user(QUESTION), { role: 'assistant', content: null, tool_calls: calls }, result] };
      }],
    ]; // oxfmt-ignore
    function markedInside(marker: object = scope): JsonBody {
      const tool = CHAT.tool(WEATHER.name, schemaOf(WEATHER.name));
      return { ...tool, function: { ...tool.function, cache_control: marker } };
    }

    describe.each(MARKED)('%s of who shares it', (_name, face, bodyAt) => {
      it.each(PLACES)(`${face.name}: $id`, async (pair) => {
        const outcome = await ask(face, pair, bodyAt(pair));
        const isTaken = CLAUDES.includes(pair) && (pair.platform === 'direct' || pair.platform === 'azure');
        const beta = 'prompt-caching-scope-2026-01-05';
        const isSent = JSON.stringify(outcome.sent).includes('"scope":"global"');
        expect([isSent, namedBy(outcome).includes(beta)]).toEqual([isTaken, isTaken]);
        expect(outcome.dropped.includes('cache_control.scope')).toBe(!isTaken);
      });
    });

    it.each(PLACES)('chat: $id: a marker in a function is that of the tool', async (pair) => {
      const beside = { ...CHAT.tool(WEATHER.name, schemaOf(WEATHER.name)), cache_control: { type: 'ephemeral' } };
      const messages = CHAT.user(QUESTION);
      const inside = await ask(CHAT, pair, { messages, tools: [markedInside({ type: 'ephemeral' })] });
      expect(inside.sent).toEqual((await ask(CHAT, pair, { messages, tools: [beside] })).sent);
      expect(/ephemeral|cachePoint/.test(JSON.stringify(inside.sent))).toBe(isClaude(pair));
    });

    it('are named where another format has no field for them', async () => {
      const chat = PLACES.find(({ id }) => id === 'direct/openai-chat')!;
      const { dropped } = await ask(MESSAGES, chat, body);
      const names = ['cache_control.scope', 'tool_use.caller', ...FIELDS.slice(0, 4).map((field) => `tools.${field}`)];
      expect(dropped).toEqual(expect.arrayContaining(names));
    });
  });
});
