/**
 * Checks that a conversation stays valid at every next provider: signed and sealed reasoning reaches its maker, byte
 * for byte, and no other provider; ids of calls are one to one and the same in each turn; equal beginnings are equal
 * bytes. A client of either face is answered by one strict double after another, keeps what the gateway returned, and
 * hands it to the next; at every point the conversation is encoded for every stop. First over each ordered pair, then
 * as a property over generated conversations. Rules: docs/contribute/reasons/translation.md.
 */
import fc from 'fast-check';
import {
  CLIENT_FACES,
  type Media,
  type ResultKind,
  type ClientFace,
  type Wishes,
} from '../support/provider-changes/faces.js';
import { callIdsIn, promptBytes, toolNamesIn } from '../support/provider-changes/sent-prompt.js';
import { SERVED_MODELS, type ServedModel } from '../support/provider-changes/served-models.js';
import { ChangingClient, type Answer } from '../support/provider-changes/changing-client.js';

const SEED = 17;
const RUNS = 300;
/** The prefix of another vendor's reasoning in the Messages face. */
const TOKEN_HEAD = Buffer.from('{"format"').toString('base64');
const [MESSAGES, CHAT] = CLIENT_FACES as [ClientFace, ClientFace, ClientFace];
/** Faces whose format marks the ends of prefixes. */
const MARKING = [MESSAGES, CHAT];
const faceNamed = (name: ClientFace['name']): ClientFace => CLIENT_FACES.find((face) => face.name === name)!;

/** Checks the rules of a conversation at each point of its way. */
class Watch {
  private readonly before = new Map<ServedModel, string>();

  constructor(
    private readonly client: ChangingClient,
    /** Calls have the ids that the gateway returned, so that signatures find them. */
    private readonly keepsIds = true,
  ) {}

  /** One assertion for all faults: separate ones would be a hundred thousand. */
  check(): void {
    const { client } = this;
    const [request, again] = [client.read(), client.read()];
    const faults = SERVED_MODELS.flatMap((served) => {
      if (client.hasPdf && !served.takesPdfs) {
        expect(() => client.encoded(served, request)).toThrow(/^(?:messages|input)\.\d+\.content.*(?:document|file)/);
        return [];
      }
      const { body, text, refusal } = client.encoded(served, request);
      const found = [
        ...(refusal === undefined ? [] : [`refused: ${refusal}`]),
        ...(client.encoded(served, again).text === text ? [] : ['is sent other bytes for the same']),
        ...this.reasoningFaults(served, text),
        ...idFaults(callIdsIn(served.dialect, body)),
        ...this.prefixFaults(served, promptBytes(served.dialect, body)),
      ];
      return found.map((fault) => `${served.name}: ${fault}`);
    });
    expect(faults).toEqual([]);
  }

  private prefixFaults(served: ServedModel, bytes: string): string[] {
    const before = this.before.get(served) ?? '';
    this.before.set(served, bytes);
    return bytes.startsWith(before) ? [] : [`begins otherwise than before: ${before} ${bytes}`];
  }

  private reasoningFaults(served: ServedModel, text: string): string[] {
    const tokens = text.includes(TOKEN_HEAD) ? ['is shown a token of the Messages face'] : [];
    const faults = this.client.thoughts.flatMap(({ maker, words, seals }) => {
      if (served.maker !== maker) {
        return [words, ...seals].filter((part) => text.includes(part)).map((part) => `is shown ${maker}: ${part}`);
      }
      const own = seals.length > 0 ? seals : [words];
      const lost = this.keepsIds ? own.filter((part) => !text.includes(part)) : [];
      return lost.map((part) => `is not shown its own: ${part}`);
    });
    return [...tokens, ...faults];
  }
}

function idFaults({ calls, results }: ReturnType<typeof callIdsIn>): string[] {
  const twice = calls.filter((id, index) => calls.indexOf(id) !== index).map((id) => `two calls of the id ${id}`);
  // A turn's results may come in another order than its calls.
  const isPaired = [...results].sort().join(' ') === [...calls].sort().join(' ');
  return isPaired ? twice : [...twice, `results ${results.join(' ')} of calls ${calls.join(' ')}`];
}

const THINKS_AND_CALLS: Answer = {
  thinks: true,
  speaks: true,
  cites: false,
  calls: [
    { id: 'functions.look:0', tool: 0 },
    { id: `call_${'x'.repeat(70)}`, tool: 1 },
  ],
};
const THINKS_AND_SPEAKS: Answer = { thinks: true, speaks: true, cites: true, calls: [] };
const WISHES: Wishes = { system: true, tools: ['look', 'hear'], thinks: true, stream: true, marked: true };

const PAIRS = SERVED_MODELS.flatMap((from) =>
  SERVED_MODELS.map((to) => ({ from, to, pair: `${from.name} to ${to.name}` })),
);
const CASES = CLIENT_FACES.flatMap((face) =>
  [true, false].map((stream) => ({ face, stream, name: face.name, mode: stream ? 'streamed' : 'whole' })),
);

describe.each(CASES)('through $name, $mode', ({ face, stream }) => {
  it.each(PAIRS)('$pair and back', ({ from, to }) => {
    const client = new ChangingClient(face, { ...WISHES, stream });
    const watch = new Watch(client);
    // A stop that takes no PDF can be no part of a way with one.
    const pdf = from.takesPdfs && to.takesPdfs ? 'pdf' : 'image';
    client.ask('How is the weather there?', 'image');
    watch.check();
    for (const served of [from, to, from]) {
      client.receive(served, THINKS_AND_CALLS);
      client.answer([pdf, 'failure']);
      watch.check();
      client.receive(served, THINKS_AND_SPEAKS);
      client.ask('And tomorrow?', served === to ? pdf : 'none');
      watch.check();
    }
  });
});

const NAMES = ['look', 'multi_tool_use.parallel', '7-up', 'a b', 'a_b', 'look_up_'.repeat(7), 'over.look'];
/** The chat format has a separate limit. */
const LONG_NAMES = ['l'.repeat(70), `${'l'.repeat(69)}o`];
const IDS = [
  'call_0',
  'functions.look:0',
  'functions:look.0',
  'functions_look_0',
  `${'i'.repeat(64)}1`,
  `${'i'.repeat(64)}2`,
  'toolu_01A',
  'chatcmpl-tool-5f3e',
];
const KINDS: readonly ResultKind[] = ['text', 'nothing', 'image', 'pdf', 'failure', 'silent failure'];
const MEDIA: readonly Media[] = ['none', 'image', 'pdf'];

interface Leg {
  readonly served: number;
  readonly answer: Answer;
  readonly kinds: readonly ResultKind[];
  readonly media: Media;
  /** The next model continues the same turn. */
  readonly answersCalls: boolean;
}

const legs = (toolCount: number): fc.Arbitrary<readonly Leg[]> => {
  const call = fc.record({ id: fc.constantFrom(...IDS), tool: fc.nat({ max: toolCount - 1 }) });
  const answer = fc.record({
    thinks: fc.boolean(),
    speaks: fc.boolean(),
    cites: fc.boolean(),
    calls: fc.uniqueArray(call, { maxLength: 3, selector: ({ id }) => id }),
  });
  const leg = fc.record({
    served: fc.nat({ max: SERVED_MODELS.length - 1 }),
    answer,
    kinds: fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 3 }),
    media: fc.constantFrom(...MEDIA),
    answersCalls: fc.boolean(),
  });
  return fc.array(leg, { minLength: 1, maxLength: 5 });
};

const journeys = fc
  .record({
    face: fc.constantFrom(...CLIENT_FACES),
    system: fc.boolean(),
    stream: fc.boolean(),
    thinks: fc.boolean(),
    marked: fc.boolean(),
    renumbers: fc.boolean(),
  })
  .chain((options) => {
    const names = options.face === MESSAGES ? [...NAMES, ...LONG_NAMES] : NAMES;
    return fc
      .uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 4 })
      .chain((tools) => legs(tools.length).map((way) => ({ ...options, tools, way })));
  })
  .map(({ face, renumbers, way, ...wishes }) => ({ face: face.name, renumbers, wishes, way }));

it('stays valid on any way', () => {
  fc.assert(
    fc.property(journeys, ({ face, renumbers, wishes, way }) => {
      const client = new ChangingClient(faceNamed(face), wishes, renumbers);
      const watch = new Watch(client, !renumbers);
      client.ask('How is the weather there?', 'image');
      watch.check();
      for (const { served: target, answer, kinds, media, answersCalls } of way) {
        const served = SERVED_MODELS[target]!;
        if (client.hasPdf && !served.takesPdfs) continue;
        const turn = client.receive(served, answer);
        const called = client.face.calls(turn).map(({ name }) => name);
        expect(called).toEqual(answer.calls.map(({ tool }) => wishes.tools[tool]));
        client.answer(kinds);
        if (answer.calls.length === 0 || !answersCalls) client.ask('And then?', media);
        watch.check();
      }
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

it.each(MARKING)("counts no marker beside the caller's five, where the vendor judges: $name", (face) => {
  const client = new ChangingClient(face, { ...WISHES, thinks: false });
  client.ask('One');
  const markers = { 'anthropic-messages': /"cache_control":/g, 'bedrock-converse': /"cachePoint":/g } as const;
  for (const served of SERVED_MODELS) {
    const five = [1, 2, 3, 4, 5].map((index) => ({
      type: 'text',
      text: `Part ${index}`,
      cache_control: { type: 'ephemeral' },
    }));
    const body = {
      ...face.body([{ role: 'user', content: five }], { ...WISHES, thinks: false, marked: false }),
      cache_control: { type: 'ephemeral' },
    };
    const { text } = client.encoded(served, face.read(body));
    const form = Object.entries(markers).find(([dialect]) => dialect === served.dialect)?.[1];
    expect({ to: served.name, markers: text.match(form ?? /cache_control|cachePoint/g)?.length ?? 0 }).toEqual({
      to: served.name,
      markers: form ? 5 : 0,
    });
  }
});

it('sends each tool under a name that the stop takes', () => {
  const client = new ChangingClient(MESSAGES, { ...WISHES, tools: [...NAMES, ...LONG_NAMES] });
  client.ask('Hello');
  for (const served of SERVED_MODELS) {
    const { body, refusal } = client.encoded(served, client.read());
    expect(refusal).toBeUndefined();
    expect(new Set(toolNamesIn(served.dialect, body)).size).toBe(NAMES.length + LONG_NAMES.length);
  }
});
