import type { JsonBody } from '../recorded-request.js';
import { slices } from '../upstream-answers.js';
import { DRAFT_RULE, draftFault, requiresSome } from './json-schemas.js';
import {
  DOUBLE_USAGE,
  stopOf,
  type DialectDouble,
  type DoubleCitation,
  type DoubleFailureKind,
  type DoubleReply,
  type DoubleStop,
  type Refusal,
  type WireEvent,
} from './double.js';
import {
  boolean,
  dotted,
  integer,
  list,
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
  type ShapeFault,
  urlOr,
  dataUrl,
} from './wire-shape.js';

// Cohere's chat of version 2. Fields and their bounds by the request types of cohere-ai 8.1.0. A rule names the thread
// in which its refusal is quoted; these were read on 2026-11-24. Where none is named, no source was found: the rule is
// the author's knowledge of the vendor.

const STOPS_MAX = 5;
const K_MAX = 500;
const TOOL_NAME = string({ rule: 'a name of other characters', pattern: /^[a-zA-Z0-9_-]{1,64}$/ });
const imageUrl = urlOr(dataUrl('a picture of another type', 'image/png', 'image/jpeg', 'image/gif', 'image/webp'));

const textPart: Fields = { text };
const assistantPart = tagged('type', {
  text: textPart,
  thinking: { thinking: string({ rule: 'an empty thought', min: 1 }) },
});
const messages = tagged('role', {
  system: { content: textOr(list(tagged('type', { text: textPart }))) },
  user: {
    content: textOr(
      list(
        tagged('type', {
          text: textPart,
          image_url: {
            image_url: object({ url: imageUrl, 'detail?': oneOf('an unknown detail', 'auto', 'low', 'high') }),
          },
        }),
        { rule: 'a question of nothing', min: 1 },
      ),
    ),
  },
  assistant: {
    'content?': textOr(list(assistantPart, { rule: 'an answer of nothing', min: 1 })),
    'tool_calls?': list(
      object({
        id: string({ rule: 'an empty id', min: 1 }),
        type: constant('function'),
        function: object({ name: TOOL_NAME, arguments: text }),
      }),
      { rule: 'a list of no calls', min: 1 },
    ),
    'tool_plan?': text,
    'citations?': list(record),
  },
  tool: {
    tool_call_id: text,
    content: textOr(
      list(tagged('type', { text: textPart, document: { document: object({ data: record, 'id?': text }) } })),
    ),
  },
});
const body = object({
  model: text,
  messages: list(messages, { rule: 'no messages', min: 1 }),
  'stream?': boolean,
  'tools?': list(
    object({
      type: constant('function'),
      function: object({ name: TOOL_NAME, 'description?': text, parameters: record }),
    }),
    { rule: 'no tools', min: 1 },
  ),
  'strict_tools?': boolean,
  'documents?': list(textOr(object({ data: record, 'id?': text }))),
  'citation_options?': object({
    'mode?': oneOf('an unknown mode of citing', 'ENABLED', 'DISABLED', 'FAST', 'ACCURATE', 'OFF'),
  }),
  'response_format?': tagged('type', { text: {}, json_object: { 'json_schema?': record } }),
  'safety_mode?': oneOf('an unknown mode of safety', 'CONTEXTUAL', 'STRICT', 'OFF'),
  'max_tokens?': integer({ rule: 'no token of output', min: 1 }),
  'stop_sequences?': list(text, { rule: 'six stop sequences', max: STOPS_MAX }),
  'temperature?': number({ rule: 'a temperature below nought', min: 0 }),
  'seed?': integer({ rule: 'a seed below nought', min: 0 }),
  'frequency_penalty?': number({ rule: 'a penalty below nought', min: 0, max: 1 }),
  'presence_penalty?': number({ rule: 'a penalty below nought', min: 0, max: 1 }),
  'k?': integer({ rule: 'a k of 501', min: 0, max: K_MAX }),
  'p?': number({ rule: 'p of one', min: 0.01, max: 0.99 }),
  'logprobs?': boolean,
  'tool_choice?': oneOf('a choice by name', 'REQUIRED', 'NONE'),
  'thinking?': object({
    type: oneOf('an unknown way of thinking', 'enabled', 'disabled'),
    'token_budget?': integer({ rule: 'no token of thought', min: 1 }),
  }),
  'priority?': integer({ rule: 'a priority below nought', min: 0 }),
});

const FORM_WORDS: Readonly<Record<ShapeFault['problem'], (where: string, wanted: string) => string>> = {
  // agno-agi/agno#3503, where the status is 422.
  unknown: (where) => `unknown field: parameter '${where}' is not a valid field.`,
  missing: (where) => `invalid request: ${where} is required`,
  invalid: (where, wanted) => `invalid type: parameter '${where}' should be ${wanted}`,
};

const misshapen = ({ path, problem, wanted, rule }: ShapeFault): Refusal => ({
  rule,
  message: FORM_WORDS[problem](dotted(path), wanted),
});

/** In addition to those of the form. */
const RULES = [
  'a call without result',
  'a stray result',
  'an id twice',
  'text beside calls',
  'an empty turn',
  'an empty question',
  'a choice among nothing',
  'strict tools without tools',
  'a form of the answer beside tools',
  'a form of the answer of no object',
  'an object of the answer that requires nothing',
  'a schema of no object',
] as const;
const broken = (rule: (typeof RULES)[number], message: string): Refusal => ({ rule, message });

/**
 * Text with calls: vercel/ai#5794. Calls without results: oracle/langchain-oracle#10. Empty turns:
 * langchain-ai/langchain-cohere#15 and kwaroran/Risuai#504, both about the older version.
 */
function turnsFault(turns: JsonBody[]): Refusal | undefined {
  let open = new Set<string>();
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'tool') {
      if (!open.delete(turn.tool_call_id)) {
        return broken(
          'a stray result',
          `invalid request: tool call id not found in previous tool calls: messages[${index}]`,
        );
      }
      continue;
    }
    if (open.size > 0) return unanswered(open);
    const calls: JsonBody[] = turn.tool_calls ?? [];
    open = new Set(calls.map(({ id }) => id));
    if (open.size !== calls.length)
      return broken('an id twice', `invalid request: duplicate tool call id in messages[${index}]`);
    const parts: JsonBody[] =
      typeof turn.content === 'string' ? [{ type: 'text', text: turn.content }] : (turn.content ?? []);
    const words = parts.findIndex(({ type }) => type === 'text');
    if (calls.length > 0 && words >= 0) {
      const where = `messages[${index}].content[${words}]`;
      return broken('text beside calls', `text content is not allowed when tool_calls are provided: '${where}'`);
    }
    if (turn.role === 'assistant' && calls.length === 0 && parts.length === 0) {
      return broken(
        'an empty turn',
        `invalid request: all elements in history must have a message: messages[${index}]`,
      );
    }
    if (turn.role !== 'assistant' && parts.every(({ type, text: words }) => type === 'text' && words === '')) {
      return broken(
        'an empty question',
        'invalid request: message must be at least 1 token long or tool results must be specified.',
      );
    }
  }
  return open.size > 0 ? unanswered(open) : undefined;
}

const unanswered = (ids: ReadonlySet<string>): Refusal =>
  broken(
    'a call without result',
    `invalid request: each tool call must be followed by a tool message: ${[...ids].join(', ')}`,
  );

function optionsFault({
  tools,
  tool_choice: choice,
  documents,
  response_format: format,
  strict_tools: strict,
}: JsonBody): Refusal | undefined {
  if (choice !== undefined && !tools) {
    return broken('a choice among nothing', 'invalid request: tool_choice requires tools to be specified');
  }
  if (strict !== undefined && !tools) {
    return broken('strict tools without tools', 'invalid request: strict_tools requires tools to be specified');
  }
  // No source was found for invalid combinations.
  if (format?.type === 'json_object' && (tools || documents)) {
    const words = 'invalid request: cannot specify response_format with tools or documents';
    return broken('a form of the answer beside tools', words);
  }
  if (format?.json_schema && format.json_schema.type !== 'object') {
    const words = "invalid request: response_format.json_schema: the top level must be of the type 'object'";
    return broken('a form of the answer of no object', words);
  }
  if (format?.json_schema && !requiresSome(format.json_schema)) {
    const words = 'invalid request: response_format.json_schema: every object must have at least one required field';
    return broken('an object of the answer that requires nothing', words);
  }
  const form = format?.json_schema && draftFault(format.json_schema, 'response_format.json_schema');
  if (form) return form;
  for (const { function: called } of tools ?? []) {
    if (called.parameters.type !== 'object') {
      return broken('a schema of no object', `invalid request: parameters of ${called.name} must be an object`);
    }
    const fault = draftFault(called.parameters, `function '${called.name}'`);
    if (fault) return fault;
  }
  return undefined;
}

const FINISHES: Readonly<Record<DoubleStop, string>> = {
  end: 'COMPLETE',
  'tool-use': 'TOOL_CALL',
  'output-limit': 'MAX_TOKENS',
  'stop-sequence': 'STOP_SEQUENCE',
  refusal: 'ERROR_TOXIC',
};

const FAILURES: Readonly<Record<DoubleFailureKind, number>> = {
  invalid: 400,
  unauthorised: 401,
  'rate-limited': 429,
  overloaded: 503,
  'server-error': 500,
};

/** Positions in the text, in code points. */
const citationOf = ({ url, title, quote }: DoubleCitation, words: string, content_index: number): JsonBody => {
  const start = [...words.slice(0, words.indexOf(quote))].length;
  return {
    start,
    end: start + [...quote].length,
    text: quote,
    sources: [{ type: 'tool', id: 'search:0', tool_output: { url, title } }],
    type: 'TEXT_CONTENT',
    content_index,
  };
};

function messageOf({ parts }: DoubleReply): JsonBody {
  const calls = parts.flatMap((part) => (part.type === 'call' ? [part] : []));
  // No model of this vendor draws.
  const emitted = parts.flatMap((part) => (part.type === 'call' || part.type === 'image' ? [] : [part]));
  // The text before calls is the plan; only thoughts accompany it.
  const plan =
    calls.length > 0
      ? emitted
          .filter(({ type }) => type === 'text')
          .map((part) => part.text)
          .join('')
      : '';
  const content = emitted
    .filter(({ type }) => calls.length === 0 || type === 'thinking')
    .map((part) =>
      part.type === 'text' ? { type: 'text', text: part.text } : { type: 'thinking', thinking: part.text },
    );
  const citations = emitted.flatMap((part) =>
    part.type === 'text' ? (part.citations ?? []).map((one) => citationOf(one, part.text, emitted.indexOf(part))) : [],
  );
  return {
    role: 'assistant',
    ...(plan !== '' && { tool_plan: plan }),
    ...(content.length > 0 && { content }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      })),
    }),
    ...(citations.length > 0 && { citations }),
  };
}

function eventsOf(message: JsonBody): WireEvent[] {
  const event = (type: string, more: object): WireEvent => ({ event: type, data: { type, ...more } });
  const delta = (inner: object): object => ({ delta: { message: inner } });
  const contents = (message.content ?? []).flatMap((part: JsonBody, index: number) => {
    const key = part.type;
    return [
      event('content-start', { index, ...delta({ content: { type: key, [key]: '' } }) }),
      ...slices(part[key]).map((piece) => event('content-delta', { index, ...delta({ content: { [key]: piece } }) })),
      ...(message.citations ?? [])
        .filter(({ content_index }: JsonBody) => content_index === index)
        .flatMap((citations: JsonBody, position: number) => [
          event('citation-start', { index: position, ...delta({ citations }) }),
          event('citation-end', { index: position }),
        ]),
      event('content-end', { index }),
    ];
  });
  const calls = (message.tool_calls ?? []).flatMap((call: JsonBody, index: number) => [
    event('tool-call-start', {
      index,
      ...delta({ tool_calls: { ...call, function: { ...call.function, arguments: '' } } }),
    }),
    ...slices(call.function.arguments).map((piece) =>
      event('tool-call-delta', { index, ...delta({ tool_calls: { function: { arguments: piece } } }) }),
    ),
    event('tool-call-end', { index }),
  ]);
  return [
    event('message-start', { id: 'reply-double', ...delta({ role: 'assistant' }) }),
    ...slices(message.tool_plan ?? '').map((tool_plan) => event('tool-plan-delta', delta({ tool_plan }))),
    ...contents,
    ...calls,
  ];
}

export const cohereChat: DialectDouble = {
  lineEnd: '\n',
  rules: [...new Set([...body.rules, ...RULES, DRAFT_RULE])],
  refuse({ body: sent }) {
    const fault = body(sent);
    return fault ? misshapen(fault) : (optionsFault(sent) ?? turnsFault(sent.messages));
  },
  reply(reply) {
    const message = messageOf(reply);
    const { input, cached, output, reasoning } = reply.usage ?? DOUBLE_USAGE;
    const usage = {
      billed_units: { input_tokens: input + cached, output_tokens: output },
      tokens: {
        input_tokens: input + cached,
        output_tokens: output,
        ...(reasoning > 0 && { reasoning_tokens: reasoning }),
      },
      ...(cached > 0 && { cached_tokens: cached }),
    };
    const finish_reason = FINISHES[stopOf(reply)];
    const reported = reply.usage === null ? {} : { usage };
    return {
      whole: { id: 'reply-double', finish_reason, message, ...reported },
      events: eventsOf(message),
      end: [{ event: 'message-end', data: { type: 'message-end', delta: { finish_reason, ...reported } } }],
    };
  },
  failure: (kind, message) => ({ status: FAILURES[kind], body: { id: 'failure-double', message } }),
  failureEvent: (kind, message) => ({
    event: 'message-end',
    data: {
      type: 'message-end',
      delta: { error: message, finish_reason: kind === 'overloaded' ? 'TIMEOUT' : 'ERROR' },
    },
  }),
};
