import type { WireDialect } from '../../support/doubles/double.js';
import type { JsonBody } from '../../support/recorded-request.js';
import type { FaceName } from '../../http/translation-bench.js';
import { ADVISER, PAGE_AT, PRICES } from './bench.js';

// Every way in which a caller can request a tool that the gateway serves.

/** Field of `usage.server_tool_use` that counts uses of the tool. */
type Counter = 'web_search_requests' | 'web_fetch_requests';

/** A tool that the gateway runs, requested in one way. */
export interface ServedCell {
  /** The entry of `tools`. */
  readonly tool: JsonBody;
  /** The function that its model is offered, and the name of its uses for the caller. */
  readonly name: string;
  /** Type of the tool's result blocks. */
  readonly resultType: string;
  readonly faces: readonly FaceName[];
  /** Inputs of two calls of one step, and of one of the next. */
  readonly inputs: readonly [JsonBody, JsonBody, JsonBody];
  /** The text of each use for the model, and the content of its result block. */
  readonly reads: RegExp;
  readonly content: unknown;
  /** USD a use. */
  readonly price: number;
  readonly counter?: Counter;
  /** Anthropic runs it itself. */
  readonly isAnthropics?: true;
  /** Each use is a call of another model. */
  readonly consults?: true;
  /** Invalid arguments, and the content of their result. */
  readonly wrong: { readonly input: JsonBody; readonly content: unknown };
  /** The tool with a limit of one use, and the result of the next use. */
  readonly once?: { readonly tool: JsonBody; readonly content: unknown };
}

/** The cells of a face that the gateway runs for a dialect. */
export const servedAt = (face: FaceName, dialect: WireDialect): [string, ServedCell][] =>
  Object.entries(SERVED).filter(
    ([, { faces, isAnthropics }]) => faces.includes(face) && !(isAnthropics && dialect === 'anthropic-messages'),
  );

/** A tool that the caller runs. */
export interface HandedCell {
  readonly tool: JsonBody;
  readonly name: string;
  readonly faces: readonly FaceName[];
  readonly input: JsonBody;
  /** Properties of the offered function. */
  readonly properties: readonly string[];
  /** Anthropic's models are sent the vendor's own entry. */
  readonly isAnthropics?: true;
}

/** The advisor's constant answer. */
export const ADVICE = 'Wait for the tide';

const ALL = ['messages', 'chat', 'responses'] as const;
const MESSAGES = ['messages'] as const;
const service = (type: string, parameters?: object): JsonBody => ({
  type: `openrouter:${type}`,
  ...(parameters && { parameters }),
});

const search = {
  name: 'web_search',
  resultType: 'web_search_tool_result',
  inputs: [{ query: 'boats' }, { query: 'tides' }, { query: 'harbours' }],
  reads: /^Results of a web search.*https:\/\/simulated\.example\//s,
  content: expect.arrayContaining([expect.objectContaining({ type: 'web_search_result' })]),
  price: PRICES.search,
  counter: 'web_search_requests',
  wrong: {
    input: { query: ' ' },
    content: { type: 'web_search_tool_result_error', error_code: 'invalid_tool_input' },
  },
} as const;
const noMoreSearches = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' };
const vendorSearch = (type: string): ServedCell => ({
  ...search,
  tool: { type, name: 'web_search' },
  faces: MESSAGES,
  once: { tool: { type, name: 'web_search', max_uses: 1 }, content: noMoreSearches },
});

const fetching = {
  name: 'web_fetch',
  resultType: 'web_fetch_tool_result',
  inputs: [{ url: PAGE_AT }, { url: `${PAGE_AT}?2` }, { url: `${PAGE_AT}?3` }],
  reads: /^Title: Tides\nURL: http:\/\/pages\.test.*High water is at noon\./s,
  content: expect.objectContaining({ type: 'web_fetch_result' }),
  price: PRICES.page,
  counter: 'web_fetch_requests',
  wrong: {
    input: { url: 'ftp://pages.test/tides' },
    content: {
      type: 'web_fetch_tool_result_error',
      error_code: 'invalid_tool_input',
      message: expect.stringMatching(/http/),
    },
  },
} as const;
const noMorePages = { type: 'web_fetch_tool_result_error', error_code: 'max_uses_exceeded' };

const vendorFetch = (type: string): ServedCell => ({
  ...fetching,
  tool: { type, name: 'web_fetch' },
  isAnthropics: true,
  faces: MESSAGES,
  once: { tool: { type, name: 'web_fetch', max_uses: 1 }, content: noMorePages },
});

const advising = {
  name: 'advisor',
  resultType: 'advisor_tool_result',
  inputs: [{ question: 'Sail?' }, {}, { question: 'And now?' }],
  reads: new RegExp(`^${ADVICE}$`),
  content: { type: 'advisor_result', text: ADVICE },
  price: 0,
  consults: true,
  wrong: {
    input: { question: 7 },
    content: { type: 'advisor_tool_result_error', error_code: 'invalid_tool_input' },
  },
} as const;
const noMoreAdvice = { type: 'advisor_tool_result_error', error_code: 'max_uses_exceeded' };
const anthropicsAdvisor = { type: 'advisor_20260301', name: 'advisor', model: ADVISER };

export const SERVED: Readonly<Record<string, ServedCell>> = {
  'openrouter:web_search': {
    ...search,
    tool: service('web_search', { max_results: 2 }),
    faces: ALL,
    once: { tool: service('web_search', { max_uses: 1 }), content: noMoreSearches },
  },
  'web_search, the shorthand of OpenAI’s formats': {
    ...search,
    tool: { type: 'web_search' },
    faces: ['chat', 'responses'],
  },
  web_search_20250305: vendorSearch('web_search_20250305'),
  web_search_20260209: vendorSearch('web_search_20260209'),
  web_search_20260318: vendorSearch('web_search_20260318'),
  'openrouter:web_fetch': {
    ...fetching,
    tool: service('web_fetch'),
    faces: ALL,
    once: { tool: service('web_fetch', { max_uses: 1 }), content: noMorePages },
  },
  web_fetch_20250910: vendorFetch('web_fetch_20250910'),
  web_fetch_20260318: vendorFetch('web_fetch_20260318'),
  'openrouter:datetime': {
    tool: service('datetime', { timezone: 'Asia/Tokyo' }),
    name: 'datetime',
    resultType: 'openrouter_datetime_tool_result',
    faces: ALL,
    inputs: [{}, {}, {}],
    reads: /^\{"datetime":"[^"]+\+09:00","timezone":"Asia\/Tokyo"\}$/,
    content: { datetime: expect.stringMatching(/\+09:00$/), timezone: 'Asia/Tokyo' },
    price: 0,
    // It takes no argument that could be invalid.
    wrong: { input: { at: 'noon' }, content: { datetime: expect.any(String), timezone: 'Asia/Tokyo' } },
  },
  'openrouter:experimental__search_models': {
    tool: service('experimental__search_models', { max_results: 1 }),
    name: 'search_models',
    resultType: 'openrouter_search_models_tool_result',
    faces: ALL,
    inputs: [{ query: 'cohere' }, { query: 'gemini' }, { query: '' }],
    reads: /^\{"models":\[\{"id":"/,
    content: { models: [expect.objectContaining({ id: expect.any(String) })] },
    price: 0,
    wrong: { input: { query: 7 }, content: { error: 'invalid_tool_input' } },
  },
  'openrouter:bash, engine openrouter': {
    tool: service('bash', { engine: 'openrouter' }),
    name: 'bash',
    resultType: 'openrouter_bash_tool_result',
    faces: ALL,
    inputs: [{ command: 'echo ebb' }, { command: 'echo flow >&2' }, { command: 'exit 3' }],
    reads: /./,
    content: expect.objectContaining({ type: 'bash_code_execution_result' }),
    price: PRICES.bash,
    wrong: {
      input: { command: 7 },
      content: expect.objectContaining({ error_code: 'invalid_tool_input' }),
    },
  },
  advisor_20260301: {
    ...advising,
    tool: anthropicsAdvisor,
    faces: MESSAGES,
    once: { tool: { ...anthropicsAdvisor, max_uses: 1 }, content: noMoreAdvice },
  },
  'openrouter:advisor': {
    ...advising,
    tool: service('advisor', { model: ADVISER }),
    faces: ALL,
    once: { tool: service('advisor', { model: ADVISER, max_uses: 1 }), content: noMoreAdvice },
  },
};

const bash = { name: 'bash', input: { command: 'ls' }, properties: ['command', 'restart'] } as const;

export const HANDED: Readonly<Record<string, HandedCell>> = {
  'openrouter:bash, engine auto': { ...bash, tool: service('bash'), faces: ALL },
  'openrouter:bash, engine native': { ...bash, tool: service('bash', { engine: 'native' }), faces: ALL },
  bash_20250124: { ...bash, tool: { type: 'bash_20250124', name: 'bash' }, faces: MESSAGES, isAnthropics: true },
  text_editor_20250124: {
    tool: { type: 'text_editor_20250124', name: 'str_replace_editor' },
    name: 'str_replace_editor',
    faces: MESSAGES,
    input: { command: 'view', path: '/tides' },
    properties: ['command', 'path', 'file_text', 'old_str', 'new_str', 'insert_line', 'view_range'],
    isAnthropics: true,
  },
};
