import type { JsonBody } from '../recorded-request.js';
import { slices } from '../upstream-answers.js';
import {
  DOUBLE_USAGE,
  seal,
  stopOf,
  unseal,
  withoutImages,
  type DialectDouble,
  type DoublePart,
  type DoubleReply,
  type DoubleUsage,
  type Refusal,
  type WireCall,
  type WireEvent,
} from './double.js';
import { FUNCTION_NAME, misshapen, openaiFailure } from './openai-chat.js';
import { COMPLETE_RULES, incompleteFault, STRICT_RULES, strictFault, DRAFT_RULE, draftFault } from './json-schemas.js';
import { reasoningFault, REASONING_RULES } from './reasoning-models.js';
import {
  boolean,
  chosen,
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
  urlOr,
  dataUrl,
} from './wire-shape.js';

// OpenAI's stateless responses: nothing is stored, so reasoning is returned sealed. Fields and types by the request
// types of openai 6.49.0. A rule names the thread in which its refusal is quoted; these were read on 2026-11-24. Where
// none is named, no source was found: the rule is the author's knowledge of the vendor.

/** AnswerDotAI/fastllm#45 */
const CALL_ID_MAX = 64;
/** earendil-works/pi#6265 */
const OUTPUT_TOKENS_MIN = 16;
const imageUrl = urlOr(dataUrl('a picture of another type', 'image/png', 'image/jpeg', 'image/gif', 'image/webp'));
const fileData = dataUrl('a file of another type', 'application/pdf');

const inputParts: Readonly<Record<string, Fields>> = {
  input_text: { text },
  input_image: {
    'image_url?': imageUrl,
    'file_id?': text,
    'detail?': oneOf('an unknown detail', 'auto', 'low', 'high', 'original'),
  },
  input_file: { 'file_data?': fileData, 'file_url?': text, 'file_id?': text, 'filename?': text },
};
const inputContent = textOr(list(tagged('type', inputParts), { rule: 'a question of nothing', min: 1 }));
const outputContent = textOr(
  list(
    tagged('type', {
      output_text: { text, 'annotations?': list(record), 'logprobs?': list(record) },
      refusal: { refusal: text },
    }),
    { rule: 'an answer of nothing', min: 1 },
  ),
);
const status: Fields = { 'status?': oneOf('an unknown status', 'in_progress', 'completed', 'incomplete') };
const messageItem = tagged('role', {
  user: { type: constant('message'), content: inputContent },
  system: { type: constant('message'), content: inputContent },
  developer: { type: constant('message'), content: inputContent },
  assistant: {
    type: constant('message'),
    content: outputContent,
    'id?': string({ rule: 'an id of something else', pattern: /^msg_/ }),
    'phase?': oneOf('an unknown phase', 'commentary', 'final_answer'),
    ...status,
  },
});
const callId = string({ rule: 'a long id', min: 1, max: CALL_ID_MAX });
const ownId = (pattern: RegExp): Fields => ({ 'id?': string({ rule: 'an id of something else', pattern }) });
const item = tagged('type', {
  reasoning: {
    id: string({ rule: 'an id of something else', pattern: /^rs_/ }),
    summary: list(tagged('type', { summary_text: { text } })),
    'content?': list(tagged('type', { reasoning_text: { text } })),
    'encrypted_content?': nullable(text),
    ...status,
  },
  function_call: { call_id: callId, name: FUNCTION_NAME, arguments: text, ...ownId(/^fc_/), ...status },
  function_call_output: {
    call_id: callId,
    output: textOr(list(tagged('type', inputParts), { rule: 'an output of nothing', min: 1 })),
    'id?': text,
    ...status,
  },
  custom_tool_call: { call_id: callId, name: FUNCTION_NAME, input: text, ...ownId(/^ctc_/), ...status },
  custom_tool_call_output: {
    call_id: callId,
    output: textOr(list(tagged('type', inputParts), { rule: 'an output of nothing', min: 1 })),
    'id?': text,
    ...status,
  },
  web_search_call: { 'action?': record, ...ownId(/^ws_/), 'status?': text },
  shell_call: { call_id: callId, action: record, ...ownId(/^sh_/), ...status },
  shell_call_output: { call_id: callId, output: list(record), 'max_output_length?': nullable(integer()), ...status },
  local_shell_call: { call_id: callId, action: record, ...ownId(/^lsh_/), ...status },
  local_shell_call_output: { id: callId, output: text, ...status },
  apply_patch_call: { call_id: callId, operation: record, ...ownId(/^apc_/), ...status },
  apply_patch_call_output: { call_id: callId, 'output?': nullable(text), 'status?': text },
});
const searchFields = {
  'search_context_size?': text,
  'search_content_types?': list(oneOf('an unknown kind of content', 'text', 'image')),
  'user_location?': record,
};
const body = object({
  model: text,
  input: textOr(
    list(
      chosen([messageItem, item], (value) => (value?.type === 'message' ? messageItem : item)),
      { rule: 'no input', min: 1 },
    ),
  ),
  'instructions?': nullable(text),
  'max_output_tokens?': nullable(integer({ rule: 'a limit below the least', min: OUTPUT_TOKENS_MIN })),
  'temperature?': nullable(number({ rule: 'a temperature above two', min: 0, max: 2 })),
  'top_p?': nullable(number({ rule: 'a top_p above one', min: 0, max: 1 })),
  'top_logprobs?': nullable(integer({ rule: 'twenty-one likely words', min: 0, max: 20 })),
  'stream?': nullable(boolean),
  'stream_options?': nullable(record),
  'tools?': list(
    tagged('type', {
      function: {
        name: FUNCTION_NAME,
        parameters: nullable(record),
        strict: nullable(boolean),
        'description?': nullable(text),
      },
      web_search: { ...searchFields, 'filters?': record },
      web_search_preview: searchFields,
      image_generation: {
        'quality?': oneOf('an unknown quality', 'low', 'medium', 'high', 'auto'),
        'size?': text,
        'background?': oneOf('an unknown background', 'transparent', 'opaque', 'auto'),
        'output_format?': oneOf('an unknown form of pictures', 'png', 'webp', 'jpeg'),
        'output_compression?': integer(),
        'moderation?': oneOf('an unknown moderation', 'auto', 'low'),
        'partial_images?': integer(),
        'model?': text,
      },
      code_interpreter: { container: record },
      custom: { name: text, 'description?': text, 'format?': record },
      shell: { 'environment?': record },
      local_shell: {},
      apply_patch: {},
    }),
  ),
  'tool_choice?': textOr(
    tagged('type', {
      function: { name: text },
      custom: { name: text },
      shell: {},
      apply_patch: {},
      web_search: {},
      image_generation: {},
      allowed_tools: {
        mode: oneOf('an unknown mode', 'auto', 'required'),
        tools: list(tagged('type', { function: { name: text }, web_search: {}, image_generation: {} })),
      },
    }),
    oneOf('an unknown choice', 'none', 'auto', 'required'),
  ),
  'parallel_tool_calls?': nullable(boolean),
  'reasoning?': nullable(
    object({
      'effort?': nullable(oneOf('an unknown effort', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
      'summary?': nullable(oneOf('an unknown summary', 'auto', 'concise', 'detailed')),
    }),
  ),
  'text?': object({
    'format?': tagged('type', {
      text: {},
      json_object: {},
      json_schema: {
        name: FUNCTION_NAME,
        schema: record,
        'description?': text,
        'strict?': nullable(boolean),
      },
    }),
    'verbosity?': nullable(oneOf('an unknown verbosity', 'low', 'medium', 'high')),
  }),
  'include?': nullable(
    list(oneOf('an unknown thing to include', 'reasoning.encrypted_content', 'message.output_text.logprobs')),
  ),
  'store?': nullable(boolean),
  'service_tier?': nullable(oneOf('an unknown tier', 'auto', 'default', 'flex', 'scale', 'priority')),
  'prompt_cache_key?': text,
  'prompt_cache_retention?': nullable(text),
  'user?': text,
  'safety_identifier?': text,
  'metadata?': nullable(record),
  'truncation?': nullable(oneOf('an unknown way to truncate', 'auto', 'disabled')),
});

/** In addition to those of the form. */
const RULES = [
  'unsealed reasoning',
  'a foreign seal',
  'reasoning alone',
  'an id twice',
  'a stray output',
  'a call without output',
  'a choice of a tool that is not there',
  'a schema of no object',
] as const;
const broken = (rule: (typeof RULES)[number], message: string): Refusal => ({ rule, message });

/** Whatever kind of tool of the caller it calls. */
const isCall = (each: JsonBody): boolean => each?.type?.endsWith('_call') === true;

/**
 * Reasoning directly precedes its result (coder/xum#59), sealed where nothing is stored (openai/openai-agents-js#546),
 * by this vendor (anomalyco/opencode#5104); calls and outputs match one to one (Gitlawb/openclaude#187,
 * continuedev/continue#10092). Requiring an unchanged summary is stricter.
 */
function itemsFault(items: JsonBody[]): Refusal | undefined {
  const open = new Set<string>();
  const seen = new Set<string>();
  for (const [index, each] of items.entries()) {
    if (each.type === 'reasoning') {
      const words = unseal('openai', each.encrypted_content);
      if (each.encrypted_content === undefined) {
        const rest = 'Items are not persisted when `store` is set to false.';
        return broken('unsealed reasoning', `Item with id '${each.id}' not found. ${rest}`);
      }
      if (words === undefined || words !== each.summary.map((part: JsonBody) => part.text).join('')) {
        return broken('a foreign seal', `The encrypted content for item ${each.id} could not be verified.`);
      }
      const next = items[index + 1];
      const isFollowed = isCall(next) || next?.type === 'reasoning' || next?.role === 'assistant';
      if (!isFollowed) {
        const rest = "of type 'reasoning' was provided without its required following item.";
        return broken('reasoning alone', `Item '${each.id}' ${rest}`);
      }
    }
    if (isCall(each)) {
      if (seen.has(each.call_id)) {
        return broken('an id twice', `Duplicate function call with call_id ${each.call_id}.`);
      }
      seen.add(each.call_id);
      open.add(each.call_id);
    }
    if (each.type.endsWith('_call_output') && !open.delete(each.call_id ?? each.id)) {
      return broken('a stray output', `No tool call found for function call output with call_id ${each.call_id}.`);
    }
    if (each.role === 'user' && open.size > 0) break;
  }
  const [unanswered] = open;
  return unanswered === undefined
    ? undefined
    : broken('a call without output', `No tool output found for function call ${unanswered}.`);
}

function schemasFault({ text: form, tools = [] }: JsonBody): Refusal | undefined {
  const format = form?.format;
  const ofFormat = `text.format '${format?.name}'`;
  const fault =
    (format?.strict === true && strictFault(format.schema, ofFormat)) ||
    (format?.schema && draftFault(format.schema, ofFormat));
  if (fault) return fault;
  for (const { type, parameters, name, strict } of tools) {
    if (type !== 'function') continue;
    const of = `function '${name}'`;
    if (parameters && parameters.type !== 'object') {
      return broken('a schema of no object', `Invalid schema for ${of}: schema must be of 'type: "object"'.`);
    }
    const wrong =
      (strict === true && strictFault(parameters, of)) ||
      (parameters && (incompleteFault(parameters, of) ?? draftFault(parameters, of)));
    if (wrong) return wrong;
  }
  return undefined;
}

function choiceFault({ tool_choice: choice, tools = [] }: JsonBody): Refusal | undefined {
  const isThere = tools.some(({ type }: JsonBody) => type === choice?.type);
  if (choice?.type !== 'image_generation' || isThere) return undefined;
  return broken(
    'a choice of a tool that is not there',
    "Tool choice 'image_generation' not found in 'tools' parameter.",
  );
}

/** Positions in the text's own part, in characters. */
function itemOf(part: DoublePart, index: number, refuses: boolean, tools: readonly JsonBody[]): JsonBody {
  switch (part.type) {
    case 'thinking':
      return {
        id: `rs_${index}`,
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: part.text }],
        encrypted_content: seal('openai', part.text),
      };
    case 'call': {
      const own = ownCallOf(part, index, tools);
      if (own) return own;
      return {
        id: `fc_${index}`,
        type: 'function_call',
        status: 'completed',
        call_id: part.id,
        name: part.name,
        arguments: JSON.stringify(part.input),
      };
    }
    case 'image':
      return {
        id: `ig_${index}`,
        type: 'image_generation_call',
        status: 'completed',
        background: 'opaque',
        output_format: 'png',
        quality: 'high',
        size: '1024x1024',
        revised_prompt: 'A boat.',
        result: part.data,
      };
    case 'text': {
      const annotations = (part.citations ?? []).map(({ url, title, quote }) => {
        const start_index = part.text.indexOf(quote);
        return { type: 'url_citation', url, title, start_index, end_index: start_index + quote.length };
      });
      const content = refuses
        ? { type: 'refusal', refusal: part.text }
        : { type: 'output_text', text: part.text, annotations, logprobs: [] };
      return { id: `msg_${index}`, type: 'message', role: 'assistant', status: 'completed', content: [content] };
    }
  }
}

/** The call of a tool that the request has in a form of its own; undefined: it is a function. */
function ownCallOf(
  { id: call_id, name, input }: Extract<DoublePart, { type: 'call' }>,
  index: number,
  tools: readonly JsonBody[],
): JsonBody {
  const tool = tools.find((one) => (one.type === 'custom' ? one.name === name : one.type === name));
  const head = { call_id, status: 'completed' };
  switch (tool?.type) {
    case 'custom':
      return { id: `ctc_${index}`, type: 'custom_tool_call', ...head, name, input: input.input };
    case 'shell':
      return { id: `sh_${index}`, type: 'shell_call', ...head, action: input };
    case 'local_shell':
      return { id: `lsh_${index}`, type: 'local_shell_call', ...head, action: { type: 'exec', ...input } };
    case 'apply_patch':
      return { id: `apc_${index}`, type: 'apply_patch_call', ...head, operation: input.operation };
    default:
      return undefined;
  }
}

function responseOf(reply: DoubleReply, { model, body }: WireCall): JsonBody {
  const stop = stopOf(reply);
  const hasDrawn = reply.parts.some(({ type }) => type === 'image');
  const usage = withDrawing(reply.usage === undefined ? DOUBLE_USAGE : reply.usage, hasDrawn);
  const isCut = stop === 'output-limit';
  return {
    id: 'resp_double',
    object: 'response',
    created_at: 1_700_000_000,
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    error: null,
    model,
    output: reply.parts.map((part, index) => itemOf(part, index, stop === 'refusal', body.tools ?? [])),
    usage: usage && usageOf(usage),
    tool_usage: { image_gen: drawingOf(usage), web_search: { num_requests: 0 } },
  };
}

/** A reply without images has no usage of the drawing tool. */
const withDrawing = (usage: DoubleUsage | null, hasDrawn: boolean): DoubleUsage | null =>
  usage && !hasDrawn ? { ...usage, images: 0, drawingInput: 0 } : usage;

/** Without the output of the drawing tool, which is reported separately. */
function usageOf({ input, cached, output, reasoning, images = 0 }: DoubleUsage): JsonBody {
  const words = output - images;
  return {
    input_tokens: input + cached,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: words,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + cached + words,
  };
}

/** As in recorded replies of OpenAI and Azure, with zeros where nothing was drawn. */
function drawingOf(usage: DoubleUsage | null): JsonBody {
  const { images = 0, drawingInput = 0 } = usage ?? {};
  return {
    input_tokens: drawingInput,
    input_tokens_details: { image_tokens: 0, text_tokens: drawingInput },
    output_tokens: images,
    output_tokens_details: { image_tokens: images, text_tokens: 0 },
    total_tokens: drawingInput + images,
  };
}

/** Every event with its name and number; each item is sent in pieces, then whole, as by the vendor. */
function eventsOf(whole: JsonBody): WireEvent[] {
  const begun = { ...whole, status: 'in_progress', incomplete_details: null, output: [], usage: null };
  const events: JsonBody[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...whole.output.flatMap(itemEvents),
    { type: whole.status === 'incomplete' ? 'response.incomplete' : 'response.completed', response: whole },
  ];
  return events.map((event, sequence_number) => ({ event: event.type, data: { ...event, sequence_number } }));
}

function itemEvents(whole: JsonBody, output_index: number): JsonBody[] {
  const at = { item_id: whole.id, output_index };
  const empty = {
    ...whole,
    ...(whole.status && { status: 'in_progress' }),
    ...(whole.content && { content: [] }),
    ...(whole.summary && { summary: [] }),
    ...(whole.arguments !== undefined && { arguments: '' }),
    ...(whole.input !== undefined && { input: '' }),
    ...(whole.result !== undefined && { result: null }),
  };
  return [
    { type: 'response.output_item.added', output_index, item: empty },
    ...innerEvents(whole, at),
    { type: 'response.output_item.done', output_index, item: whole },
  ];
}

function innerEvents(whole: JsonBody, at: object): JsonBody[] {
  const grown = (name: string, key: string, value: string, beside: object = {}): JsonBody[] => [
    ...slices(value).map((delta) => ({ type: `${name}.delta`, ...at, ...beside, delta })),
    { type: `${name}.done`, ...at, ...beside, [key]: value },
  ];
  if (whole.type === 'function_call') return grown('response.function_call_arguments', 'arguments', whole.arguments);
  if (whole.type === 'custom_tool_call') return grown('response.custom_tool_call_input', 'input', whole.input);
  if (/shell_call|apply_patch_call$/.test(whole.type)) return [];
  if (whole.type === 'image_generation_call') {
    return ['in_progress', 'generating', 'completed'].map((step) => ({
      type: `response.image_generation_call.${step}`,
      ...at,
    }));
  }
  if (whole.type === 'reasoning') {
    return whole.summary.flatMap((part: JsonBody, summary_index: number) => [
      { type: 'response.reasoning_summary_part.added', ...at, summary_index, part: { ...part, text: '' } },
      ...grown('response.reasoning_summary_text', 'text', part.text, { summary_index }),
      { type: 'response.reasoning_summary_part.done', ...at, summary_index, part },
    ]);
  }
  return whole.content.flatMap((part: JsonBody, content_index: number) => {
    const beside = { content_index };
    const isRefusal = part.type === 'refusal';
    const empty = isRefusal ? { ...part, refusal: '' } : { ...part, text: '', annotations: [] };
    const cited = (part.annotations ?? []).map((annotation: JsonBody, annotation_index: number) => ({
      type: 'response.output_text.annotation.added',
      ...at,
      ...beside,
      annotation_index,
      annotation,
    }));
    return [
      { type: 'response.content_part.added', ...at, ...beside, part: empty },
      ...(isRefusal
        ? grown('response.refusal', 'refusal', part.refusal, beside)
        : grown('response.output_text', 'text', part.text, beside)),
      ...cited,
      { type: 'response.content_part.done', ...at, ...beside, part },
    ];
  });
}

export const openaiResponses: DialectDouble = {
  lineEnd: '\n',
  rules: [...new Set([...body.rules, ...RULES, ...STRICT_RULES, ...COMPLETE_RULES, DRAFT_RULE, ...REASONING_RULES])],
  refuse({ body: sent, model }) {
    const fault = body(sent);
    if (fault) return misshapen(fault);
    return (
      schemasFault(sent) ??
      choiceFault(sent) ??
      (typeof sent.input === 'string' ? undefined : itemsFault(sent.input)) ??
      reasoningFault(model, sent, sent.reasoning?.effort ?? undefined)
    );
  },
  reply(reply, call) {
    const draws = (call.body.tools ?? []).some(({ type }: JsonBody) => type === 'image_generation');
    const whole = responseOf(draws ? reply : withoutImages(reply), call);
    const events = eventsOf(whole);
    return { whole, events: events.slice(0, -1), end: events.slice(-1) };
  },
  failure: openaiFailure,
  failureEvent(kind, message) {
    const { error } = openaiFailure(kind, message).body;
    return {
      event: 'error',
      data: { type: 'error', code: error.code ?? error.type, message, param: null, sequence_number: 9 },
    };
  },
};
