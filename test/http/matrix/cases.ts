import type { DoubleReply } from '../../support/doubles/double.js';
import { png } from '../../support/images.js';
import { pdf, show } from '../../support/pdfs.js';
import type { JsonBody } from '../../support/recorded-request.js';
import type { AnyFace, FaceName, SeenReply } from '../translation-bench.js';

// Requests and answers in neutral terms, with the terms of a face where faces differ.

export const IMAGE = png(64, 64).toString('base64');
export const PDF = pdf({ pages: [show('Rain')] }).toString('base64');
export const QUESTION = 'What is the weather in Zürich – and in 東京? 🌦';
export const ANSWER = 'In Zürich it rains; 東京 is sunny 🌤.';
export const PLAN = 'Let me look.';
export const THOUGHT = 'First Zürich, then 東京 🤔.';
export const SYSTEM = 'Be brief.';
export const WEATHER = { id: 'call_w1', name: 'get_weather', input: { city: 'Zürich' } };
export const TIME = { id: 'call_t1', name: 'get_time', input: { zone: 'Asia/Tokyo' } };
const INPUTS: Readonly<Record<string, string>> = { get_weather: 'city', get_time: 'zone' };
export const schemaOf = (tool: string): object => ({
  type: 'object',
  properties: { [INPUTS[tool]!]: { type: 'string' } },
  required: [INPUTS[tool]],
  additionalProperties: false,
});
export const FORM = {
  type: 'object',
  properties: { rains: { type: 'boolean' } },
  required: ['rains'],
  additionalProperties: false,
};
/** The address of files in callers' requests; the server's own address replaces it. */
export const FILES_AT = 'http://files.test';
export const FILES = [
  { path: '/map.png', type: 'image/png', data: IMAGE },
  { path: '/report.pdf', type: 'application/pdf', data: PDF },
] as const;
export const [MAP_URL, REPORT_URL] = FILES.map(({ path }) => FILES_AT + path) as [string, string];
export const PAGE = { url: 'https://example.com/weather', title: 'Weather', quote: '東京 is sunny' };
export const STOP_SEQUENCE = 'END';
/** Above the least budget of thinking. */
export const MAX_TOKENS = 4_000;
export const BUDGET = 2_000;
const MARKER = { type: 'ephemeral' };

/** The parts of a face's requests that `AnyFace` does not cover. */
interface FaceWords {
  /** Instructions, optionally with a marker. */
  system(isMarked: boolean): object;
  marked(text: string): JsonBody;
  /** A result of words, an image and a PDF. */
  mixedResult(id: string): JsonBody;
  /** Words, and an image and a PDF by their addresses. */
  byAddress(text: string): JsonBody;
  format(schema: object): object;
  stop(sequence: string): object;
}

const messagesWords: FaceWords = {
  system: (isMarked) => ({ system: [{ type: 'text', text: SYSTEM, ...(isMarked && { cache_control: MARKER }) }] }),
  marked: (text) => ({ role: 'user', content: [{ type: 'text', text, cache_control: MARKER }] }),
  mixedResult: (tool_use_id) => {
    const source = (media_type: string, data: string): object => ({ source: { type: 'base64', media_type, data } });
    const content = [
      { type: 'text', text: 'See the map.' },
      { type: 'image', ...source('image/png', IMAGE) },
      { type: 'document', title: 'report', ...source('application/pdf', PDF) },
    ];
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id, content }] };
  },
  byAddress: (text) => ({
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'image', source: { type: 'url', url: MAP_URL } },
      { type: 'document', source: { type: 'url', url: REPORT_URL } },
    ],
  }),
  format: (schema) => ({ output_config: { format: { type: 'json_schema', schema } } }),
  stop: (sequence) => ({ stop_sequences: [sequence] }),
};

const chatWords: FaceWords = {
  system: (isMarked) => ({
    system: { role: 'system', content: [{ type: 'text', text: SYSTEM, ...(isMarked && { cache_control: MARKER }) }] },
  }),
  marked: (text) => ({ role: 'user', content: [{ type: 'text', text, cache_control: MARKER }] }),
  mixedResult: (tool_call_id) => ({
    role: 'tool',
    tool_call_id,
    content: [
      { type: 'text', text: 'See the map.' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${IMAGE}` } },
      { type: 'file', file: { filename: 'report.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
    ],
  }),
  byAddress: (text) => ({
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'image_url', image_url: { url: MAP_URL } },
      { type: 'file', file: { file_data: REPORT_URL } },
    ],
  }),
  format: (schema) => ({
    response_format: { type: 'json_schema', json_schema: { name: 'reply', schema, strict: true } },
  }),
  stop: (sequence) => ({ stop: [sequence] }),
};

const responsesWords: FaceWords = {
  system: () => ({ instructions: SYSTEM }),
  marked: (text) => ({ role: 'user', content: [{ type: 'input_text', text }] }),
  mixedResult: (call_id) => ({
    type: 'function_call_output',
    call_id,
    output: [
      { type: 'input_text', text: 'See the map.' },
      { type: 'input_image', image_url: `data:image/png;base64,${IMAGE}` },
      { type: 'input_file', filename: 'report.pdf', file_data: `data:application/pdf;base64,${PDF}` },
    ],
  }),
  byAddress: (text) => ({
    role: 'user',
    content: [
      { type: 'input_text', text },
      { type: 'input_image', image_url: MAP_URL },
      { type: 'input_file', file_url: REPORT_URL },
    ],
  }),
  format: (schema) => ({ text: { format: { type: 'json_schema', name: 'reply', schema, strict: true } } }),
  stop: () => ({}),
};

export const WORDS: Readonly<Record<FaceName, FaceWords>> = {
  messages: messagesWords,
  chat: chatWords,
  responses: responsesWords,
};

/** What the format of a face has no field for. */
export const LACKS: Readonly<Record<FaceName, readonly CaseId[]>> = {
  messages: [],
  chat: [],
  responses: ['cache markers', 'stop sequence'],
};

/** A conversation: each reply but the last is handed back, with what the caller adds to it. */
export interface Case {
  readonly replies: readonly DoubleReply[];
  /** Fields of the body in addition to the model and a limit. */
  readonly ask: (face: AnyFace) => { readonly messages: readonly JsonBody[]; readonly [field: string]: JsonBody };
  /** The caller's messages after a reply. */
  readonly goOn?: (face: AnyFace, seen: SeenReply) => readonly JsonBody[];
}

const text = (words: string): DoubleReply['parts'][number] => ({ type: 'text', text: words });
const call = (of: typeof WEATHER | typeof TIME): DoubleReply['parts'][number] => ({ type: 'call', ...of });
const question = (face: AnyFace): readonly JsonBody[] => face.user(QUESTION);
const tools = (face: AnyFace, ...names: readonly string[]): { tools: JsonBody[] } => ({
  tools: names.map((name) => face.tool(name, schemaOf(name))),
});
/** Instructions are a message of the chat face, and a field of the others. */
const withSystem = (face: AnyFace, isMarked: boolean, messages: readonly JsonBody[]): ReturnType<Case['ask']> => {
  const instructions: JsonBody = WORDS[face.name].system(isMarked);
  return face.name === 'chat' ? { messages: [instructions.system, ...messages] } : { ...instructions, messages };
};
const simple = (reply: DoubleReply): Case => ({
  replies: [reply],
  ask: (face) => ({ messages: question(face) }),
});

export const CASE_IDS = [
  'text',
  'parallel tools',
  'tool results with image and PDF',
  'media by address',
  'thinking with signatures',
  'cache markers',
  'structured output',
  'citations',
  'refusal',
  'max tokens',
  'stop sequence',
] as const;
export type CaseId = (typeof CASE_IDS)[number];

export const CASES: Readonly<Record<CaseId, Case>> = {
  text: {
    replies: [{ parts: [text(ANSWER)] }],
    ask: (face) => withSystem(face, false, question(face)),
  },
  'parallel tools': {
    replies: [{ parts: [text(PLAN), call(WEATHER), call(TIME)] }, { parts: [text(ANSWER)] }],
    ask: (face) => ({ messages: question(face), ...tools(face, 'get_weather', 'get_time') }),
    goOn: (face, { calls }) =>
      face.results(
        calls.map(({ id, name }) => ({ id, text: `${name}: fine` })),
        'And now?',
      ),
  },
  'tool results with image and PDF': {
    replies: [{ parts: [call(WEATHER)] }, { parts: [text(ANSWER)] }],
    ask: (face) => ({ messages: question(face), ...tools(face, 'get_weather') }),
    goOn: (face, { calls: [{ id }] }) => [WORDS[face.name].mixedResult(id)],
  },
  'media by address': {
    replies: [{ parts: [text(ANSWER)] }],
    ask: (face) => ({ messages: [WORDS[face.name].byAddress(QUESTION)] }),
  },
  'thinking with signatures': {
    replies: [
      {
        parts: [{ type: 'thinking', text: THOUGHT }, call(WEATHER)],
        usage: { input: 12, cached: 0, output: 9, reasoning: 4 },
      },
      { parts: [text(ANSWER)] },
    ],
    ask: (face) => ({ messages: question(face), ...tools(face, 'get_weather'), ...face.thinking(BUDGET) }),
    goOn: (face, { calls: [{ id }] }) => face.results([{ id, text: 'rain' }]),
  },
  'cache markers': {
    replies: [{ parts: [text(ANSWER)], usage: { input: 12, cached: 5, output: 7, reasoning: 0 } }],
    ask: (face) => withSystem(face, true, [WORDS[face.name].marked(QUESTION)]),
  },
  'structured output': {
    replies: [{ parts: [text('{"rains":true}')] }],
    ask: (face) => ({ messages: question(face), ...WORDS[face.name].format(FORM) }),
  },
  citations: simple({ parts: [{ type: 'text', text: ANSWER, citations: [PAGE] }] }),
  refusal: simple({ parts: [text('I cannot say.')], stop: 'refusal' }),
  'max tokens': simple({ parts: [text('In Zürich it')], stop: 'output-limit' }),
  'stop sequence': {
    replies: [{ parts: [text('In Zürich it rains.')], stop: 'stop-sequence', stopSequence: STOP_SEQUENCE }],
    ask: (face) => ({ messages: question(face), ...WORDS[face.name].stop(STOP_SEQUENCE) }),
  },
};
