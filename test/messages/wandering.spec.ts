/**
 * Goal: a conversation stays valid wherever it goes next. Signed and sealed reasoning reaches its maker, byte for byte,
 * and nobody else; ids of calls are one to one and the same in each turn; equal beginnings are equal bytes. Method: a
 * client of either face is answered by one strict double after another, keeps what the gateway told it, and hands it to
 * the next; at every point the conversation is encoded for every stop. First over each ordered pair, then as a property
 * over conversations that nobody wrote. Rules: docs/reasons/translation.md.
 */
import fc from 'fast-check';
import {
  WANDERING_FACES,
  type Media,
  type ResultKind,
  type WanderingFace,
  type Wishes,
} from '../support/wandering/faces.js';
import { callIdsIn, promptBytes, toolNamesIn } from '../support/wandering/sent-prompt.js';
import { STOPS, type Stop } from '../support/wandering/stops.js';
import { Traveller, type Answer } from '../support/wandering/traveller.js';

const SEED = 17;
const RUNS = 300;
/** How the Messages face begins what it tells of another vendor's reasoning. */
const TOKEN_HEAD = Buffer.from('{"format"').toString('base64');
const [MESSAGES, CHAT] = WANDERING_FACES as [WanderingFace, WanderingFace];

/** Holds a conversation to the rules at each point of its way. */
class Watch {
  private readonly before = new Map<Stop, string>();

  constructor(
    private readonly traveller: Traveller,
    /** Calls have the ids that the gateway told, so that signatures find them. */
    private readonly keepsIds = true,
  ) {}

  /** One look at all faults at once: of assertions there would be a hundred thousand. */
  check(): void {
    const { traveller } = this;
    const [request, again] = [traveller.read(), traveller.read()];
    const faults = STOPS.flatMap((stop) => {
      if (traveller.hasPdf && !stop.takesPdfs) {
        expect(() => traveller.encoded(stop, request)).toThrow(/^messages\.\d+\.content.*(?:document|file)/);
        return [];
      }
      const { body, text, refusal } = traveller.encoded(stop, request);
      const found = [
        ...(refusal === undefined ? [] : [`refused: ${refusal}`]),
        ...(traveller.encoded(stop, again).text === text ? [] : ['is sent other bytes for the same']),
        ...this.reasoningFaults(stop, text),
        ...idFaults(callIdsIn(stop.dialect, body)),
        ...this.prefixFaults(stop, promptBytes(stop.dialect, body)),
      ];
      return found.map((fault) => `${stop.name}: ${fault}`);
    });
    expect(faults).toEqual([]);
  }

  private prefixFaults(stop: Stop, bytes: string): string[] {
    const before = this.before.get(stop) ?? '';
    this.before.set(stop, bytes);
    return bytes.startsWith(before) ? [] : [`begins otherwise than before: ${before} ${bytes}`];
  }

  private reasoningFaults(stop: Stop, text: string): string[] {
    const tokens = text.includes(TOKEN_HEAD) ? ['is shown a token of the Messages face'] : [];
    const faults = this.traveller.thoughts.flatMap(({ maker, words, seals }) => {
      if (stop.maker !== maker) {
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
  const twice = calls.filter((id, place) => calls.indexOf(id) !== place).map((id) => `two calls of the id ${id}`);
  // A turn's results may come in another order than its calls.
  const isPaired = [...results].sort().join(' ') === [...calls].sort().join(' ');
  return isPaired ? twice : [...twice, `results ${results.join(' ')} of calls ${calls.join(' ')}`];
}

const THINKS_AND_CALLS: Answer = {
  thinks: true,
  says: true,
  cites: false,
  calls: [
    { id: 'functions.look:0', tool: 0 },
    { id: `call_${'x'.repeat(70)}`, tool: 1 },
  ],
};
const THINKS_AND_SAYS: Answer = { thinks: true, says: true, cites: true, calls: [] };
const WISHES: Wishes = { system: true, tools: ['look', 'hear'], thinks: true, stream: true, marked: true };

const PAIRS = STOPS.flatMap((from) => STOPS.map((to) => ({ from, to, pair: `${from.name} to ${to.name}` })));
const CASES = WANDERING_FACES.flatMap((face) =>
  [true, false].map((stream) => ({ face, stream, name: face.name, mode: stream ? 'streamed' : 'whole' })),
);

describe.each(CASES)('through $name, $mode', ({ face, stream }) => {
  it.each(PAIRS)('$pair and back', ({ from, to }) => {
    const traveller = new Traveller(face, { ...WISHES, stream });
    const watch = new Watch(traveller);
    // Who takes no PDF can be no part of a way with one.
    const pdf = from.takesPdfs && to.takesPdfs ? 'pdf' : 'image';
    traveller.ask('How is the weather there?', 'image');
    watch.check();
    for (const stop of [from, to, from]) {
      traveller.hear(stop, THINKS_AND_CALLS);
      traveller.answer([pdf, 'failure']);
      watch.check();
      traveller.hear(stop, THINKS_AND_SAYS);
      traveller.ask('And tomorrow?', stop === to ? pdf : 'none');
      watch.check();
    }
  });
});

const NAMES = ['look', 'multi_tool_use.parallel', '7-up', 'a b', 'a_b', 'look_up_'.repeat(7), 'over.look'];
/** The chat format has a limit of its own. */
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
  readonly stop: number;
  readonly answer: Answer;
  readonly kinds: readonly ResultKind[];
  readonly media: Media;
  /** The next model goes on in the same turn. */
  readonly goesOn: boolean;
}

const legs = (toolCount: number): fc.Arbitrary<readonly Leg[]> => {
  const call = fc.record({ id: fc.constantFrom(...IDS), tool: fc.nat({ max: toolCount - 1 }) });
  const answer = fc.record({
    thinks: fc.boolean(),
    says: fc.boolean(),
    cites: fc.boolean(),
    calls: fc.uniqueArray(call, { maxLength: 3, selector: ({ id }) => id }),
  });
  const leg = fc.record({
    stop: fc.nat({ max: STOPS.length - 1 }),
    answer,
    kinds: fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 3 }),
    media: fc.constantFrom(...MEDIA),
    goesOn: fc.boolean(),
  });
  return fc.array(leg, { minLength: 1, maxLength: 5 });
};

const journeys = fc
  .record({
    face: fc.constantFrom(...WANDERING_FACES),
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
      const traveller = new Traveller(face === 'chat' ? CHAT : MESSAGES, wishes, renumbers);
      const watch = new Watch(traveller, !renumbers);
      traveller.ask('How is the weather there?', 'image');
      watch.check();
      for (const { stop: place, answer, kinds, media, goesOn } of way) {
        const stop = STOPS[place]!;
        if (traveller.hasPdf && !stop.takesPdfs) continue;
        const turn = traveller.hear(stop, answer);
        const called = traveller.face.calls(turn).map(({ name }) => name);
        expect(called).toEqual(answer.calls.map(({ tool }) => wishes.tools[tool]));
        traveller.answer(kinds);
        if (answer.calls.length === 0 || !goesOn) traveller.ask('And then?', media);
        watch.check();
      }
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

it.each(WANDERING_FACES)("counts no marker beside the caller's five, where the vendor judges: $name", (face) => {
  const traveller = new Traveller(face, { ...WISHES, thinks: false });
  traveller.ask('One');
  const markers = { 'anthropic-messages': /"cache_control":/g, 'bedrock-converse': /"cachePoint":/g } as const;
  for (const stop of STOPS) {
    const five = [1, 2, 3, 4, 5].map((place) => ({
      type: 'text',
      text: `Part ${place}`,
      cache_control: { type: 'ephemeral' },
    }));
    const body = {
      ...face.body([{ role: 'user', content: five }], { ...WISHES, thinks: false, marked: false }),
      cache_control: { type: 'ephemeral' },
    };
    const { text } = traveller.encoded(stop, face.read(body));
    const form = Object.entries(markers).find(([dialect]) => dialect === stop.dialect)?.[1];
    expect({ to: stop.name, markers: text.match(form ?? /cache_control|cachePoint/g)?.length ?? 0 }).toEqual({
      to: stop.name,
      markers: form ? 5 : 0,
    });
  }
});

it('sends each tool under a name that the stop takes', () => {
  const traveller = new Traveller(MESSAGES, { ...WISHES, tools: [...NAMES, ...LONG_NAMES] });
  traveller.ask('Hello');
  for (const stop of STOPS) {
    const { body, refusal } = traveller.encoded(stop, traveller.read());
    expect(refusal).toBeUndefined();
    expect(new Set(toolNamesIn(stop.dialect, body)).size).toBe(NAMES.length + LONG_NAMES.length);
  }
});
