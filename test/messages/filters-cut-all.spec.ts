/**
 * Checks that nothing of a redacted text is sent, and everything else is, in every form and position. Random mail
 * addresses and card numbers are put in random disguises (wide, bold, foreign and invisible characters, tags, gaps), in
 * one text or across several with media between them, at random positions of bodies of both faces. Both dialects must
 * encode the redacted request like a body that had the replacement from the start.
 */
import fc from 'fast-check';
import { CreateChatDto } from '../../src/faces/chat/create-chat.dto.js';
import { readRequest as readChat } from '../../src/faces/chat/read-request.js';
import { printJson } from '../../src/core/json/json.js';
import { BUILTIN_FILTERS } from '../../src/guardrails/builtin-filters.js';
import { CreateMessageDto } from '../../src/faces/messages/create-message.dto.js';
import { readRequest as readMessages } from '../../src/faces/messages/read-request.js';
import { readBody } from '../../src/shared/http/dto.pipe.js';
import { inspectorOf } from '../support/inspector-of.js';
import { sentOf } from '../support/sent-bodies.js';

/** A secret as it is written, character by character, and its replacement. */
interface Secret {
  readonly written: readonly string[];
  readonly label: 'email' | 'credit-card';
}

/** Zeros of scripts that have digits of their own. */
const ZEROS = [0x30, 0x30, 0xff10, 0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0x1d7ce, 0x11066];
const UNSEEN = ['', '', '', '', '\u200b', '\u00ad', '\u2060', '\u202e', '\ufe0f'];
/** In one text tags are either letters or nothing: with both it would be unreadable. */
type Tags = 'letters' | 'nothing';
const GAPS = ['', ' ', '  ', '\t', '-', ' - ', '–', '.', '/', '_', '\u00a0', '\u2003\u3000', ' \u2212 '];

/** Ways to write a character of ASCII. */
function disguised(character: string, tags: Tags): fc.Arbitrary<string> {
  const code = character.charCodeAt(0);
  const isFigure = /\d/.test(character);
  const ways = isFigure
    ? ZEROS.map((zero) => String.fromCodePoint(zero + code - 48))
    : [character, character, String.fromCharCode(code + 0xfee0)];
  if (/[a-z]/.test(character)) ways.push(String.fromCodePoint(0x1d41a + code - 97));
  if (tags === 'letters') ways.push(String.fromCodePoint(code + 0xe0000));
  const marks = isFigure ? ['', '\u0301'] : [''];
  const unseen = tags === 'nothing' ? [...UNSEEN, '\u{e0041}', '\u{e0020}'] : UNSEEN;
  return fc
    .tuple(fc.constantFrom(...ways), fc.constantFrom(...marks), fc.constantFrom(...unseen))
    .map((parts) => parts.join(''));
}

const written = (text: string): fc.Arbitrary<readonly string[]> =>
  fc
    .constantFrom<Tags>('letters', 'nothing')
    .chain((tags) => fc.tuple(...[...text].map((character) => disguised(character, tags))));

/** No invisible character follows the last one: it would be no part of the match. */
const shownLast = (characters: readonly string[], last: string): readonly string[] => [
  ...characters.slice(0, -1),
  last,
];

const email: fc.Arbitrary<Secret> = fc.stringMatching(/^[a-z]{2,8}@[a-z]{2,8}\.[a-z]{2,5}$/).chain((address) =>
  written(address).map((characters) => ({
    written: shownLast(characters, address.at(-1)!),
    label: 'email' as const,
  })),
);

const card: fc.Arbitrary<Secret> = fc
  .constantFrom('4111111111111111', '5555555555554444', '6011111111111117')
  .chain((digits) =>
    fc
      .tuple(written(digits), fc.array(fc.constantFrom(...GAPS), { minLength: 3, maxLength: 3 }))
      .map(([characters, gaps]) => ({
        written: shownLast(characters, digits.at(-1)!).map((digit, position) =>
          position > 0 && position % 4 === 0 ? gaps[position / 4 - 1]! + digit : digit,
        ),
        label: 'credit-card' as const,
      })),
  );

/** The secret in pieces of one character or more. */
const inPieces = ({ written: characters, label }: Secret): fc.Arbitrary<{ pieces: readonly string[]; label: string }> =>
  fc.uniqueArray(fc.integer({ min: 1, max: characters.length - 1 }), { maxLength: 3 }).map((cuts) => {
    const ends = [...cuts.toSorted((one, other) => one - other), characters.length];
    return { label, pieces: ends.map((end, index) => characters.slice(ends[index - 1] ?? 0, end).join('')) };
  });

const textBlock = (text: string): object => ({ type: 'text', text });
const IMAGE = { type: 'image', source: { type: 'url', url: 'https://images.test/a.png' } };
const CHAT_IMAGE = { type: 'image_url', image_url: { url: 'https://images.test/a.png' } };
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
const call = (args: object): object => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: JSON.stringify(args) } }],
});

const user = (content: unknown): object => ({ messages: [{ role: 'user', content }] });
const result = (content: unknown): object => ({
  messages: [
    { role: 'user', content: 'look' },
    { role: 'assistant', content: [CALL] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
  ],
});
const between = (blocks: readonly object[], block: object): object[] =>
  blocks.flatMap((one, index) => (index === 0 ? [one] : [block, one]));

type BodyBuilder = (texts: readonly string[]) => object;

/** Positions in a body: functions that build a body with these texts there. */
const MESSAGES_PLACES: Readonly<Record<string, BodyBuilder>> = {
  instructions: (texts) => ({ ...user('hi'), system: texts.map(textBlock) }),
  'a turn': (texts) => user(texts.map(textBlock)),
  turns: (texts) => ({ messages: texts.map((text) => ({ role: 'user', content: text })) }),
  'around images': (texts) => user(between(texts.map(textBlock), IMAGE)),
  'a result': (texts) => result(texts.map(textBlock)),
  'a document': (texts) => user([{ type: 'document', source: { type: 'content', content: texts.map(textBlock) } }]),
  'one text': (texts) => user(texts.join('')),
  'a text in a document': (texts) =>
    user([{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: texts.join('') } }]),
  'a title': (texts) => user([{ type: 'search_result', source: 's', title: texts.join(''), content: [] }]),
  arguments: (texts) => ({
    messages: [
      { role: 'user', content: 'look' },
      { role: 'assistant', content: [{ ...CALL, input: { deep: [{ at: texts.join('') }] } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'r' }] },
    ],
  }),
  'a description': (texts) => ({
    ...user('hi'),
    tools: [{ name: 'look', description: texts.join(''), input_schema: { type: 'object' } }],
  }),
  'a field that nobody knows': (texts) => user([{ type: 'text', text: 'hi', note: [texts.join('')] }]),
};
const CHAT_PLACES: Readonly<Record<string, BodyBuilder>> = {
  instructions: (texts) => ({ messages: [{ role: 'system', content: texts.map(textBlock) }, { role: 'user', content: 'hi' }] }),
  'a turn': (texts) => user(texts.map(textBlock)),
  'around images': (texts) => user(between(texts.map(textBlock), CHAT_IMAGE)),
  'one text': (texts) => user(texts.join('')),
  'a text in base64': (texts) =>
    user([
      textBlock('read'),
      { type: 'file', file: { file_data: `data:text/plain;base64,${Buffer.from(texts.join('')).toString('base64')}` } },
    ]),
  arguments: (texts) => ({
    messages: [
      { role: 'user', content: 'look' },
      call({ deep: [{ at: texts.join('') }] }),
      { role: 'tool', tool_call_id: 'call_1', content: 'r' },
    ],
  }),
  'a result': (texts) => ({
    messages: [
      { role: 'user', content: 'look' },
      call({}),
      { role: 'tool', tool_call_id: 'call_1', content: texts.join('') },
    ],
  }),
}; // oxfmt-ignore
/** Positions where several texts are separate; elsewhere they are joined. */
const APART: ReadonlySet<string> = new Set([
  'instructions',
  'a turn',
  'turns',
  'around images',
  'a result',
  'a document',
]);

const filterOf = (label: Secret['label']) =>
  ({
    guardrailId: 'g',
    guardrailScope: 'api-key',
    stage: 'content-filter',
    action: 'redact',
    reads: 'everybody',
    ...BUILTIN_FILTERS[label],
  }) as const;
const inspector = inspectorOf([filterOf('email'), filterOf('credit-card')]);

describe.each([
  ['messages', MESSAGES_PLACES, (body: object) => readMessages(readBody(body, CreateMessageDto), { betas: [] })],
  ['chat', CHAT_PLACES, (body: object) => readChat(readBody(body, CreateChatDto), { betas: [] })],
] as const)('a body of %s', (face, builders, read) => {
  const secret = fc.oneof(email, card).chain(inPieces);
  it.each(Object.keys(builders))('sends nothing of a secret in %s', async (name) => {
    const build = builders[name]!;
    const isApart = APART.has(name) && !(face === 'chat' && name === 'a result');
    await fc.assert(
      fc.asyncProperty(secret, async ({ pieces, label }) => {
        const texts = isApart ? pieces : [pieces.join('')];
        const framed = (contents: readonly string[]): string[] =>
          contents.map(
            (text, index) => (index === 0 ? 'so: ' : '') + text + (index === contents.length - 1 ? ' is it' : ''),
          );
        const bodyOf = (contents: readonly string[]): object => ({
          model: 'm',
          max_tokens: 64,
          ...build(framed(contents)),
        });
        const { request, blocked } = await inspector.inspect(read(bodyOf(texts)));
        expect(blocked).toBeUndefined();
        const sent = sentOf(request);
        expect(sent).toBe(sentOf(read(bodyOf(texts.map(() => `[REDACTED:${label}]`)))));
        expect(sent).toContain(printJson(`[REDACTED:${label}]`).slice(1, -1));
      }),
      { numRuns: 60, seed: Number(process.env['FAIRLEAD_FUZZ_SEED'] ?? 7), endOnFailure: true },
    );
  });
});
