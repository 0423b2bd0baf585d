import { openaiError, openaiFrames } from '../openai-upstream.js';
import type { JsonBody } from '../recorded-request.js';
import { readFrames } from '../sse.js';
import {
  DOUBLE_USAGE,
  stopOf,
  type DialectDouble,
  type DoubleFailureKind,
  type DoubleReply,
  type DoubleStop,
  type DoubleUsage,
  type Refusal,
  type WireCall,
  type WireEvent,
  type WireFailure,
} from './double.js';
import { COMPLETE_RULES, incompleteFault, STRICT_RULES, strictFault, DRAFT_RULE, draftFault } from './json-schemas.js';
import { CHAT_REASONING_RULE, reasoningFault, REASONING_RULES, toolEffortFault } from './reasoning-models.js';
import {
  boolean,
  bracketed,
  integer,
  list,
  nullable,
  number,
  object,
  constant,
  oneOf,
  record,
  string,
  tagged,
  text,
  textOr,
  type Fields,
  type Shape,
  type ShapeFault,
  urlOr,
  dataUrl,
} from './wire-shape.js';

// OpenAI's chat completions, on its own address and on the clouds that serve them. Fields and types by the request
// types of openai 6.49.0. A rule names the thread in which its refusal is quoted; these were read on 2026-11-24. Where
// none is named, no source was found: the rule is the author's knowledge of the vendor. The refusal of unknown fields
// was observed at the top level (teabranch/open-responses-server#41), and is assumed for nested ones.

export const FUNCTION_NAME = string({ rule: 'a name of other characters', pattern: /^[a-zA-Z0-9_-]{1,64}$/ });
/** vercel/ai#8132 */
const CALL_ID_MAX = 40;
const STOPS_MAX = 4;
/** These models accept only the newer limit of the output: a recorded refusal. */
const REASONING_MODEL = /^(?:o\d|gpt-5)/;
/** Media types of a data URL: for images from a recorded refusal. */
const imageUrl = urlOr(dataUrl('a picture of another type', 'image/png', 'image/jpeg', 'image/gif', 'image/webp'));
const fileData = dataUrl('a file of another type', 'application/pdf');

const textPart: Fields = { text };
const parts = {
  text: textPart,
  image_url: { image_url: object({ url: imageUrl, 'detail?': oneOf('an unknown detail', 'auto', 'low', 'high') }) },
  input_audio: { input_audio: object({ data: text, format: oneOf('a sound of another type', 'wav', 'mp3') }) },
  file: {
    file: object({ 'file_data?': fileData, 'filename?': text, 'file_id?': text }),
  },
} as const;
const words = textOr(list(tagged('type', { text: textPart }), { rule: 'words of no parts', min: 1 }));
const messagesOf = ({ turn, callId }: ChatVendor): Shape =>
  tagged('role', {
    system: { content: words, 'name?': text },
    developer: { content: words, 'name?': text },
    user: { content: textOr(list(tagged('type', parts), { rule: 'a question of nothing', min: 1 })), 'name?': text },
    assistant: {
      'content?': nullable(
        textOr(
          list(tagged('type', { text: textPart, refusal: { refusal: text } }), {
            rule: 'an answer of nothing',
            min: 1,
          }),
        ),
      ),
      'refusal?': nullable(text),
      'name?': text,
      'tool_calls?': list(
        object({
          id: callId,
          type: constant('function'),
          function: object({ name: FUNCTION_NAME, arguments: text }),
        }),
        { rule: 'a list of no calls', min: 1 },
      ),
      ...turn,
    },
    tool: { content: words, tool_call_id: text },
  });
const functionTool = object({
  type: constant('function'),
  function: object({
    name: FUNCTION_NAME,
    'description?': text,
    'parameters?': record,
    'strict?': nullable(boolean),
  }),
});
const chosenFunction = object({ type: constant('function'), function: object({ name: text }) });
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const bodyOf = (vendor: ChatVendor): Shape =>
  object({
    model: text,
    messages: list(messagesOf(vendor), { rule: 'no messages', min: 1 }),
    'max_tokens?': nullable(integer({ rule: 'no token of output', min: 1 })),
    'max_completion_tokens?': nullable(integer({ rule: 'no token of output', min: 1 })),
    'temperature?': nullable(number({ rule: 'a temperature above two', min: 0, max: 2 })),
    'top_p?': nullable(number({ rule: 'a top_p above one', min: 0, max: 1 })),
    'n?': nullable(constant(1)),
    'stop?': nullable(textOr(list(text, { rule: 'five stop sequences', max: STOPS_MAX }))),
    'stream?': nullable(boolean),
    'stream_options?': object({ 'include_usage?': boolean, 'include_obfuscation?': boolean }),
    'tools?': list(functionTool, { rule: 'no tools', min: 1 }),
    'tool_choice?': textOr(
      tagged('type', {
        function: { function: object({ name: text }) },
        allowed_tools: {
          allowed_tools: object({ mode: oneOf('an unknown mode', 'auto', 'required'), tools: list(chosenFunction) }),
        },
      }),
      oneOf('an unknown choice', 'none', 'auto', 'required'),
    ),
    'parallel_tool_calls?': boolean,
    'response_format?': tagged('type', {
      text: {},
      json_object: {},
      json_schema: {
        json_schema: object({
          name: FUNCTION_NAME,
          'description?': text,
          'schema?': record,
          'strict?': nullable(boolean),
        }),
      },
    }),
    'reasoning_effort?': nullable(oneOf('an unknown effort', ...EFFORTS)),
    'seed?': nullable(integer()),
    'user?': text,
    'logprobs?': nullable(boolean),
    'top_logprobs?': nullable(integer({ rule: 'twenty-one likely words', min: 0, max: 20 })),
    'presence_penalty?': nullable(number({ rule: 'a penalty above two', min: -2, max: 2 })),
    'frequency_penalty?': nullable(number({ rule: 'a penalty above two', min: -2, max: 2 })),
    'logit_bias?': nullable(record),
    'metadata?': nullable(record),
    'store?': nullable(boolean),
    'service_tier?': nullable(oneOf('an unknown tier', 'auto', 'default', 'flex', 'scale', 'priority')),
    'modalities?': nullable(list(oneOf('an unknown modality', 'text', 'audio'))),
    'audio?': nullable(record),
    'prediction?': nullable(record),
    'web_search_options?': record,
    'verbosity?': nullable(oneOf('an unknown verbosity', 'low', 'medium', 'high')),
    'prompt_cache_key?': text,
    'prompt_cache_retention?': nullable(text),
    'safety_identifier?': text,
    ...vendor.fields,
  });

const FORM_WORDS: Readonly<Record<ShapeFault['problem'], (where: string, wanted: string) => string>> = {
  unknown: (where) => `Unknown parameter: '${where}'.`,
  missing: (where) => `Missing required parameter: '${where}'.`,
  invalid: (where, wanted) => `Invalid value for '${where}': expected ${wanted}.`,
};

export const misshapen = ({ path, problem, wanted, rule }: ShapeFault): Refusal => ({
  rule,
  message: FORM_WORDS[problem](bracketed(path), wanted),
});

/** In addition to those of the form. */
const RULES = [
  'a call without result',
  'a stray result',
  'an id twice',
  'an empty turn',
  'stream options without stream',
  'a choice among nothing',
  'a schema of no object',
] as const;
const broken = (rule: (typeof RULES)[number], message: string): Refusal => ({ rule, message });

/**
 * Results directly follow their calls, each once: minoism/freecc#2, FoundationAgents/OpenManus#744. No source was found
 * for repeated ids in one turn.
 */
function turnsFault(turns: JsonBody[]): Refusal | undefined {
  let open = new Set<string>();
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'tool') {
      if (!open.delete(turn.tool_call_id)) {
        const rest = "with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
        return broken('a stray result', `messages[${index}] ${rest}`);
      }
      continue;
    }
    if (open.size > 0) return unanswered(open);
    const calls: JsonBody[] = turn.tool_calls ?? [];
    open = new Set(calls.map(({ id }) => id));
    if (open.size !== calls.length) {
      return broken('an id twice', `Duplicate value for 'tool_call_id' in messages[${index}].`);
    }
    const given = turn.content ?? turn.refusal ?? undefined;
    if (turn.role === 'assistant' && given === undefined && calls.length === 0) {
      const rest = `expected a string, got null. (messages[${index}])`;
      return broken('an empty turn', `Invalid value for 'content': ${rest}`);
    }
  }
  return open.size > 0 ? unanswered(open) : undefined;
}

const unanswered = (ids: ReadonlySet<string>): Refusal =>
  broken('a call without result', `The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`);

/**
 * Schemas of the strict mode: dottxt-ai/outlines#844, vercel/ai#6484; tool choices without tools: camel-ai/camel#3706.
 */
function optionsFault({ body: sent }: WireCall): Refusal | undefined {
  if (sent.stream_options !== undefined && sent.stream !== true) {
    const rest = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    return broken('stream options without stream', rest);
  }
  for (const field of ['tool_choice', 'parallel_tool_calls']) {
    if (sent[field] !== undefined && !sent.tools) {
      return broken('a choice among nothing', `'${field}' is only allowed when 'tools' are specified.`);
    }
  }
  return schemasFault(sent);
}

const OLDER_NAME = 'the older name of the limit';

function olderNameFault({ body: { max_tokens, model }, platform }: WireCall): Refusal | undefined {
  const isOpenai = platform === 'direct' || platform === 'azure';
  if (max_tokens === undefined || !isOpenai || !REASONING_MODEL.test(model)) return undefined;
  const rest = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  return { rule: OLDER_NAME, message: `Unsupported parameter: ${rest}` };
}

function schemasFault({ response_format: form, tools = [] }: JsonBody): Refusal | undefined {
  const format = form?.json_schema;
  const ofFormat = `response_format '${format?.name}'`;
  const fault =
    (format?.strict === true && strictFault(format.schema, ofFormat)) ||
    (format?.schema && draftFault(format.schema, ofFormat));
  if (fault) return fault;
  for (const { function: called } of tools) {
    const of = `function '${called.name}'`;
    const wrong = called.strict === true && strictFault(called.parameters, of);
    if (wrong) return wrong;
    if (called.parameters && called.parameters.type !== 'object') {
      return broken('a schema of no object', `Invalid schema for ${of}: schema must be of 'type: "object"'.`);
    }
    const lack = called.parameters && (incompleteFault(called.parameters, of) ?? draftFault(called.parameters, of));
    if (lack) return lack;
  }
  return undefined;
}

const FINISHES: Readonly<Record<DoubleStop, string>> = {
  end: 'stop',
  'tool-use': 'tool_calls',
  'output-limit': 'length',
  'stop-sequence': 'stop',
  refusal: 'stop',
};

const FAILURES: Readonly<Record<DoubleFailureKind, readonly [status: number, type: string, code: string | null]>> = {
  invalid: [400, 'invalid_request_error', null],
  unauthorised: [401, 'invalid_request_error', 'invalid_api_key'],
  'rate-limited': [429, 'requests', 'rate_limit_exceeded'],
  overloaded: [503, 'server_error', null],
  'server-error': [500, 'server_error', null],
};

export function openaiFailure(kind: DoubleFailureKind, message: string): WireFailure {
  const [status, type, code] = FAILURES[kind];
  return {
    status,
    body: openaiError(message, type, code),
    ...(kind === 'rate-limited' && { headers: { 'retry-after': '7' } }),
  };
}

const usageOf = ({ input, cached, output, reasoning, images }: DoubleUsage): JsonBody => ({
  prompt_tokens: input + cached,
  completion_tokens: output,
  total_tokens: input + cached + output,
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: reasoning,
    audio_tokens: 0,
    ...(images !== undefined && { image_tokens: images }),
  },
});

/** The differences of a vendor of the format from the others. */
export interface ChatVendor {
  /** Fields of an assistant's turn, and of the body, that the others do not have. */
  readonly turn: Fields;
  readonly fields: Fields;
  readonly callId: Shape;
  readonly rules: readonly string[];
  refuse(call: WireCall): Refusal | undefined;
  /** As `reasoning_content`, unsigned. */
  readonly emitsReasoning: boolean;
  /** Whether it draws on request, and returns `images`. */
  readonly draws?: true;
}

/** Words and annotations; OpenAI's own chat completions never emit reasoning. */
export const openaiChat = chatDouble({
  turn: {},
  fields: {},
  callId: string({ rule: 'a long id', max: CALL_ID_MAX }),
  rules: [OLDER_NAME, ...REASONING_RULES, CHAT_REASONING_RULE],
  refuse: (call) =>
    olderNameFault(call) ??
    reasoningFault(call.model, call.body, call.body.reasoning_effort ?? undefined) ??
    toolEffortFault(call.model, call.body),
  emitsReasoning: false,
});

export function chatDouble(vendor: ChatVendor): DialectDouble {
  const body = bodyOf(vendor);
  return {
    lineEnd: '\n',
    rules: [...new Set([...body.rules, ...RULES, ...STRICT_RULES, ...COMPLETE_RULES, DRAFT_RULE, ...vendor.rules])],
    refuse(call) {
      const fault = body(call.body);
      return fault ? misshapen(fault) : (optionsFault(call) ?? turnsFault(call.body.messages) ?? vendor.refuse(call));
    },
    reply(reply, { body: sent, model }) {
      const images = vendor.draws && sent.modalities?.includes('image') ? imagesOf(reply) : [];
      const usage = reply.usage === null ? null : usageOf(reply.usage ?? DOUBLE_USAGE);
      const emitted = wordsOf(reply, 'text');
      const annotations = annotationsOf(reply);
      const message = {
        ...(vendor.emitsReasoning && { reasoning: wordsOf(reply, 'thinking') }),
        ...(stopOf(reply) === 'refusal' ? { refusal: emitted } : { text: emitted }),
        tools: reply.parts.flatMap((part) =>
          part.type === 'call' ? [{ id: part.id, name: part.name, arguments: JSON.stringify(part.input) }] : [],
        ),
        finishReason: FINISHES[stopOf(reply)],
      };
      const includesUsage = sent.stream_options?.include_usage === true && usage !== null;
      const frames = readFrames(openaiFrames({ ...message, usage }, model, includesUsage).join(''));
      const events = frames.map(({ event, data }) => ({ event, data: data === '[DONE]' ? data : JSON.parse(data!) }));
      const last = events.findIndex(({ data }) => data.choices?.[0]?.finish_reason);
      const { choices: _choices, ...head } = events[0]!.data;
      const chunk = (delta: JsonBody): WireEvent => ({
        event: '',
        data: { ...head, choices: [{ index: 0, delta, finish_reason: null }] },
      });
      return {
        whole: wholeOf(message, { model, usage, annotations, images }),
        events: [
          ...events.slice(0, last),
          ...(annotations.length > 0 ? [chunk({ annotations })] : []),
          ...images.map((image) => chunk({ content: '', images: [image] })),
        ],
        end: events.slice(last),
      };
    },
    failure: openaiFailure,
    failureEvent: (kind, message) => ({ event: '', data: openaiFailure(kind, message).body }),
  };
}

const wordsOf = ({ parts: emitted }: DoubleReply, type: 'text' | 'thinking'): string =>
  emitted.map((part) => (part.type === type ? part.text : '')).join('');

const imagesOf = ({ parts: emitted }: DoubleReply): JsonBody[] =>
  emitted
    .flatMap((part) => (part.type === 'image' ? [part.data] : []))
    .map((data, index) => ({ type: 'image_url', index, image_url: { url: `data:image/png;base64,${data}` } }));

interface Emitted {
  readonly reasoning?: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly tools: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finishReason: string;
}

function wholeOf(emitted: Emitted, { model, usage, annotations, images }: Record<string, JsonBody>): JsonBody {
  const calls = emitted.tools.map(({ id, ...called }) => ({ id, type: 'function', function: called }));
  const message = {
    role: 'assistant',
    content: emitted.text || null,
    refusal: emitted.refusal ?? null,
    ...(emitted.reasoning && { reasoning_content: emitted.reasoning }),
    annotations,
    ...(images.length > 0 && { images }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    id: 'chatcmpl-double',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: emitted.finishReason }],
    ...(usage && { usage }),
  };
}

/** Pages with their positions in the words, in UTF-16 units. */
function annotationsOf({ parts: emitted }: DoubleReply): JsonBody[] {
  return emitted.flatMap((part) => {
    if (part.type !== 'text') return [];
    return (part.citations ?? []).map(({ url, title, quote }) => {
      const start_index = part.text.indexOf(quote);
      return { type: 'url_citation', url_citation: { url, title, start_index, end_index: start_index + quote.length } };
    });
  });
}
