import type { JsonBody } from '../recorded-request.js';
import { slices } from '../upstream-answers.js';
import {
  DOUBLE_USAGE,
  withoutImages,
  signatureOf,
  stopOf,
  type DialectDouble,
  type DoubleFailureKind,
  type DoublePart,
  type DoubleReply,
  type DoubleStop,
  type Refusal,
  type WireCall,
  type WireFailure,
} from './double.js';
import { DRAFT_RULE, draftFault, unknownWord } from './json-schemas.js';
import {
  base64,
  boolean,
  bracketed,
  integer,
  list,
  number,
  object,
  constant,
  oneOf,
  record,
  string,
  text,
  union,
  type Fields,
  type Shape,
  type ShapeFault,
} from './wire-shape.js';

// Google's generateContent, as at the Gemini API and Vertex AI. Fields by the request types of @google/genai 2.32.0. A
// rule names the thread in which its refusal is quoted, or the page that states it; these were read on 2026-11-24.
// Where none is named, no source was found: the rule is the author's knowledge of the vendor.

const STOPS_MAX = 5;
/**
 * By the field's description in the API of Vertex (`FunctionDeclaration.name`). A refusal of 2025 still names 64 as the
 * maximum: kaitranntt/ccs#219.
 */
const FUNCTION_NAME = string({ rule: 'a name that begins with a digit', pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/ });
/** For calls made by another model: envoyproxy/ai-gateway#2366, which quotes it as Google's own value for that. */
const SKIP_SIGNATURE = 'skip_thought_signature_validator';
const MEDIA_TYPE =
  /^(?:image\/(?:png|jpeg|webp|heic|heif|gif)|application\/pdf|text\/[a-z-]+|audio\/[a-z0-9-]+|video\/[a-z0-9-]+)$/;
/** Limit of the whole request, in bytes. */
const INLINE_BYTES_MAX = 20 * 1024 * 1024;

/**
 * The keywords that the types document for `parametersJsonSchema` and `responseJsonSchema`. The refusal of others was
 * observed for `parameters`, the older field (router-for-me/CLIProxyAPI#97, zed-industries/zed#59938): for these the
 * double may be stricter.
 */
const SCHEMA_WORDS = new Set([
  '$id',
  '$anchor',
  '$defs',
  '$ref',
  'type',
  'format',
  'title',
  'description',
  'enum',
  'items',
  'prefixItems',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'anyOf',
  'oneOf',
  'properties',
  'additionalProperties',
  'required',
  'propertyOrdering',
]);

const blob = object({
  mimeType: string({ rule: 'a media type that it does not read', pattern: MEDIA_TYPE }),
  data: base64,
  'displayName?': text,
});
const partMembers: Fields = {
  text,
  inlineData: blob,
  fileData: object({ fileUri: text, 'mimeType?': text }),
  functionCall: object({ name: FUNCTION_NAME, args: record, 'id?': text }),
  functionResponse: object({
    name: FUNCTION_NAME,
    response: record,
    'id?': text,
    'parts?': list(union({ inlineData: blob })),
  }),
  executableCode: record,
  codeExecutionResult: record,
  toolCall: record,
  toolResponse: record,
};
const part = union(partMembers, { 'thought?': boolean, 'thoughtSignature?': text, 'videoMetadata?': record });
const content = object({
  role: oneOf('a foreign role', 'user', 'model'),
  parts: list(part, { rule: 'a turn of nothing', min: 1 }),
});
const generationConfig = object({
  'temperature?': number({ rule: 'a temperature above two', min: 0, max: 2 }),
  'topP?': number({ rule: 'a topP above one', min: 0, max: 1 }),
  'topK?': integer({ rule: 'a topK of nought', min: 1 }),
  'seed?': integer(),
  'maxOutputTokens?': integer({ rule: 'no token of output', min: 1 }),
  'stopSequences?': list(text, { rule: 'six stop sequences', max: STOPS_MAX }),
  'presencePenalty?': number({ rule: 'a penalty above two', min: -2, max: 2 }),
  'frequencyPenalty?': number({ rule: 'a penalty above two', min: -2, max: 2 }),
  'responseLogprobs?': boolean,
  'logprobs?': integer({ rule: 'twenty-one likely words', min: 0, max: 20 }),
  'responseMimeType?': oneOf('an unknown form of the answer', 'text/plain', 'application/json', 'text/x.enum'),
  'responseJsonSchema?': record,
  'candidateCount?': constant(1),
  'responseModalities?': list(oneOf('an unknown modality', 'TEXT', 'IMAGE', 'AUDIO')),
  'imageConfig?': object({ 'aspectRatio?': text, 'imageSize?': oneOf('a picture of no size', '1K', '2K', '4K') }),
  'mediaResolution?': text,
  'thinkingConfig?': object({
    'includeThoughts?': boolean,
    'thinkingBudget?': integer({ rule: 'a budget below none', min: -1 }),
    'thinkingLevel?': oneOf('an unknown level', 'minimal', 'low', 'medium', 'high', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH'),
  }),
});
const body = object({
  contents: list(content, { rule: 'no turns', min: 1 }),
  'systemInstruction?': object({ 'role?': text, parts: list(union({ text }), { rule: 'no instructions', min: 1 }) }),
  'generationConfig?': generationConfig,
  'tools?': list(
    union({
      functionDeclarations: list(
        object({
          name: FUNCTION_NAME,
          'description?': text,
          'parametersJsonSchema?': record,
        }),
        { rule: 'no functions', min: 1 },
      ),
      googleSearch: record,
      urlContext: record,
      codeExecution: record,
    }),
  ),
  'toolConfig?': object({
    'functionCallingConfig?': object({
      'mode?': oneOf('an unknown mode', 'AUTO', 'ANY', 'NONE', 'VALIDATED'),
      'allowedFunctionNames?': list(text, { rule: 'a choice of no names', min: 1 }),
    }),
  }),
  'safetySettings?': list(record),
  'cachedContent?': text,
  'serviceTier?': oneOf('an unknown tier', 'standard', 'flex', 'priority'),
  'labels?': record,
});

/**
 * At the Gemini API the whole request, by the types of its client; at Vertex the parts that can be counted
 * (cloud.google.com/vertex-ai/generative-ai/docs/reference/express-mode/rest/v1/publishers.models/countTokens).
 */
const wholeRequest = object({ generateContentRequest: record });
const countShapes = {
  direct: wholeRequest,
  azure: wholeRequest,
  bedrock: wholeRequest,
  vertex: object({
    'model?': text,
    'contents?': list(content),
    'tools?': list(record),
    'systemInstruction?': record,
    'generationConfig?': record,
  }),
} as const satisfies Record<WireCall['platform'], Shape>;

const unknownName = (name: string, where: string): string =>
  `Invalid JSON payload received. Unknown name "${name}"${where && ` at '${where}'`}: Cannot find field.`;

const FORM_WORDS: Readonly<Record<ShapeFault['problem'], (fault: ShapeFault) => string>> = {
  unknown: ({ path }) => unknownName(String(path.at(-1)), bracketed(path.slice(0, -1))),
  missing: ({ path }) => `* GenerateContentRequest.${bracketed(path)}: is not specified`,
  invalid: ({ path, wanted }) => `Invalid value at '${bracketed(path)}': expected ${wanted}`,
};

const misshapen = (fault: ShapeFault): Refusal => ({ rule: fault.rule, message: FORM_WORDS[fault.problem](fault) });

/** In addition to those of the form. */
const RULES = [
  'a request of 21 MB',
  'a penalty',
  'ids of calls on Vertex',
  'ids of results on Vertex',
  'a function twice',
  'a schema word',
  'a schema of no object',
  'a schema word of the answer',
  'a form without its type',
  'a choice among nothing',
  'names where all may be called',
  'an unknown function by name',
  'an empty text',
  'calls that do not follow the user',
  'a result too few',
  'a result of another call',
  'a stray result',
  'a budget beside a level',
  'a level for an older model',
  'no thinking of a model that always thinks',
  'thoughts of a model that has none',
  'a foreign signature',
  'a first call without signature',
  'pictures of a model of words',
] as const;
const broken = (rule: (typeof RULES)[number], message: string): Refusal => ({ rule, message });

const callsIn = (turn: JsonBody): JsonBody[] => (turn?.parts ?? []).filter((each: JsonBody) => each.functionCall);
const resultsIn = (turn: JsonBody): JsonBody[] => (turn?.parts ?? []).filter((each: JsonBody) => each.functionResponse);

/**
 * A turn of calls follows the user's (google-gemini/gemini-cli#11814), and is answered by one turn with as many results
 * (google-gemini/gemini-cli#17208). Requiring the order of their calls is stricter.
 */
function turnsFault(turns: JsonBody[]): Refusal | undefined {
  for (const [index, turn] of turns.entries()) {
    const calls = callsIn(turn);
    if (calls.length > 0) {
      if (turn.role !== 'model' || (index > 0 && turns[index - 1].role === 'model') || index === 0) {
        const words = 'Please ensure that function call turn comes immediately after a user turn.';
        return broken('calls that do not follow the user', words);
      }
      const results = resultsIn(turns[index + 1]);
      if (results.length !== calls.length) {
        const words =
          'Please ensure that the number of function response parts is equal to that of function call parts.';
        return broken('a result too few', words);
      }
      const wrong = results.find(({ functionResponse: { name, id } }, position) => {
        const called = calls.find(({ functionCall }) => id !== undefined && functionCall.id === id) ?? calls[position];
        return called.functionCall.name !== name || (id !== undefined && called.functionCall.id !== id);
      });
      if (wrong) {
        const words = `Function response '${wrong.functionResponse.name}' does not match its function call.`;
        return broken('a result of another call', words);
      }
    }
    if (resultsIn(turn).length > 0 && callsIn(turns[index - 1]).length === 0) {
      const words = 'Please ensure that function response turn comes immediately after a function call turn.';
      return broken('a stray result', words);
    }
  }
  return undefined;
}

/** Neither calls nor results have ids there: vercel/ai#15664, pydantic/pydantic-ai#5081, looplj/axonhub#874. */
function idsFault(turns: JsonBody[]): Refusal | undefined {
  for (const [index, { parts }] of turns.entries()) {
    for (const [position, { functionCall, functionResponse }] of parts.entries()) {
      const at = `contents[${index}].parts[${position}]`;
      if (functionCall?.id !== undefined) {
        return broken('ids of calls on Vertex', unknownName('id', `${at}.function_call`));
      }
      if (functionResponse?.id !== undefined) {
        return broken('ids of results on Vertex', unknownName('id', `${at}.function_response`));
      }
    }
  }
  return undefined;
}

/** The signed words: those of the part, or of the call. */
const signedWords = ({ text: words, functionCall: called, inlineData: picture }: JsonBody): string =>
  called ? `${called.name} ${JSON.stringify(called.args)}` : (picture?.data ?? words ?? '');

/**
 * Generation 3 refuses the first call of a step without its signature, in the current turn (words as in
 * end-4/dots-hyprland#3596; the first of parallel calls carries it: inngest/inngest-js#1180). A signature must be
 * Google's: decolua/9router#301.
 */
function signaturesFault(turns: JsonBody[], model: string): Refusal | undefined {
  const lastQuestion = turns.findLastIndex((turn) => turn.role === 'user' && resultsIn(turn).length === 0);
  for (const [index, turn] of turns.entries()) {
    for (const [position, each] of turn.parts.entries()) {
      const signature = each.thoughtSignature;
      if (
        signature !== undefined &&
        signature !== SKIP_SIGNATURE &&
        signature !== signatureOf('google', signedWords(each))
      ) {
        return broken('a foreign signature', 'Thought signature is not valid.');
      }
      const isFirstCall = each.functionCall && callsIn(turn)[0] === each;
      if (index > lastQuestion && isFirstCall && signature === undefined && model.includes('gemini-3')) {
        const words = `Function call \`${each.functionCall.name}\` is missing a thought_signature, position ${position + 1}.`;
        return broken('a first call without signature', words);
      }
    }
  }
  return undefined;
}

/**
 * A level from generation 3 on, a budget before it (Google's own page, as quoted in juspay/neurolink#1707); 2.5 Pro
 * refuses a budget of 0 (vercel/ai#8027). No source was found for both at once, nor for generations before 2.5.
 */
function thinkingFault({ generationConfig: config }: JsonBody, model: string): Refusal | undefined {
  const { thinkingBudget: budget, thinkingLevel: level, includeThoughts } = config?.thinkingConfig ?? {};
  if (budget !== undefined && level !== undefined) {
    return broken('a budget beside a level', 'You can only set only one of thinking budget and thinking level.');
  }
  if (level !== undefined && !model.includes('gemini-3')) {
    return broken('a level for an older model', 'Thinking level is not supported for this model.');
  }
  if (budget === 0 && /2\.5-pro/.test(model)) {
    const words = 'Budget 0 is invalid. This model only works in thinking mode.';
    return broken('no thinking of a model that always thinks', words);
  }
  if (includeThoughts !== true || !/gemini-[12]\.?0?-/.test(model)) return undefined;
  const words = 'Unable to submit request because thinking is not supported by this model.';
  return broken('thoughts of a model that has none', words);
}

/** A tool choice without tools: musistudio/claude-code-router#1207. No source was found for the others. */
function definitionsFault({ tools = [], generationConfig: config, toolConfig }: JsonBody): Refusal | undefined {
  const declared: JsonBody[] = tools.flatMap((tool: JsonBody) => tool.functionDeclarations ?? []);
  const names = declared.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return broken('a function twice', `Duplicate function declaration found: ${twice}`);
  for (const [index, { parametersJsonSchema: schema }] of declared.entries()) {
    const word = unknownWord(schema, SCHEMA_WORDS);
    if (word !== undefined) {
      const where = `tools[0].function_declarations[${index}].parameters_json_schema`;
      return broken('a schema word', unknownName(word, where));
    }
    if (schema && schema.type !== 'object') {
      const words = `* tools[0].function_declarations[${index}].parameters: schema should be of type OBJECT`;
      return broken('a schema of no object', words);
    }
    const fault = schema && draftFault(schema, `function_declarations[${index}]`);
    if (fault) return fault;
  }
  const form = config?.responseJsonSchema;
  const word = unknownWord(form, SCHEMA_WORDS);
  if (word !== undefined) {
    return broken('a schema word of the answer', unknownName(word, 'generation_config.response_json_schema'));
  }
  const fault = form && draftFault(form, 'response_json_schema');
  if (fault) return fault;
  if (form && config.responseMimeType !== 'application/json') {
    const words = '* GenerateContentRequest.generation_config.response_mime_type: is required with a schema';
    return broken('a form without its type', words);
  }
  const { mode, allowedFunctionNames: allowed } = toolConfig?.functionCallingConfig ?? {};
  if (mode !== undefined && declared.length === 0) {
    return broken('a choice among nothing', 'Function calling config is set without function_declarations.');
  }
  if (allowed && mode !== 'ANY') {
    const words = 'Allowed function names should only be set when function calling mode is ANY.';
    return broken('names where all may be called', words);
  }
  const foreign = (allowed ?? []).find((name: string) => !names.includes(name));
  return foreign === undefined
    ? undefined
    : broken('an unknown function by name', `Allowed function name ${foreign} is not declared.`);
}

/** The names of models show which ones draw. */
function picturesFault({ generationConfig: config }: JsonBody, model: string): Refusal | undefined {
  if (config?.responseModalities?.includes('IMAGE') !== true || model.includes('image')) return undefined;
  const words = 'Model does not support the requested response modalities: image,text';
  return broken('pictures of a model of words', words);
}

/** An empty part is refused, unless it carries a signature. */
function wordsFault(turns: JsonBody[]): Refusal | undefined {
  const empty = turns.findIndex(({ parts }) =>
    parts.some((each: JsonBody) => each.text === '' && !each.thoughtSignature),
  );
  if (empty < 0) return undefined;
  const words = `* GenerateContentRequest.contents[${empty}].parts: contents.parts must not be empty.`;
  return broken('an empty text', words);
}

const FINISHES: Readonly<Record<DoubleStop, string>> = {
  end: 'STOP',
  'tool-use': 'STOP',
  'output-limit': 'MAX_TOKENS',
  // The vendor does not report that a stop sequence was met.
  'stop-sequence': 'STOP',
  refusal: 'SAFETY',
};

const FAILURES: Readonly<Record<DoubleFailureKind, readonly [code: number, status: string]>> = {
  invalid: [400, 'INVALID_ARGUMENT'],
  unauthorised: [401, 'UNAUTHENTICATED'],
  'rate-limited': [429, 'RESOURCE_EXHAUSTED'],
  overloaded: [503, 'UNAVAILABLE'],
  'server-error': [500, 'INTERNAL'],
};

function failure(kind: DoubleFailureKind, message: string): WireFailure {
  const [code, status] = FAILURES[kind];
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }];
  return { status: code, body: { error: { code, message, status, ...(kind === 'rate-limited' && { details }) } } };
}

/** The signature belongs to each thought's own call: the first of a step, or the text. */
function partsOf(
  emitted: DoublePart,
  position: {
    readonly isFirstCall: boolean;
    readonly thinks: boolean;
    readonly id: boolean;
    readonly signsImages: boolean;
  },
): JsonBody {
  switch (emitted.type) {
    case 'thinking':
      return { text: emitted.text, thought: true };
    case 'call': {
      const functionCall = { name: emitted.name, args: emitted.input, ...(position.id && { id: emitted.id }) };
      return {
        functionCall,
        ...(position.isFirstCall && { thoughtSignature: signatureOf('google', signedWords({ functionCall })) }),
      };
    }
    case 'image': {
      const inlineData = { mimeType: 'image/png', data: emitted.data };
      return { inlineData, ...(position.signsImages && { thoughtSignature: signatureOf('google', emitted.data) }) };
    }
    case 'text':
      return { text: emitted.text, ...(position.thinks && { thoughtSignature: signatureOf('google', emitted.text) }) };
  }
}

/** Passages by byte offsets in the answer's text; no source was found. */
function groundingOf({ parts }: DoubleReply): JsonBody {
  const cited = parts.flatMap((each) =>
    each.type === 'text' ? (each.citations ?? []).map((one) => ({ ...one, of: each.text })) : [],
  );
  if (cited.length === 0) return undefined;
  return {
    groundingChunks: cited.map(({ url, title }) => ({ web: { uri: url, title } })),
    groundingSupports: cited.map(({ quote, of }, index) => {
      const startIndex = Buffer.byteLength(of.slice(0, of.indexOf(quote)));
      const segment = { startIndex, endIndex: startIndex + Buffer.byteLength(quote), text: quote };
      return { segment, groundingChunkIndices: [index] };
    }),
  };
}

/** google-gemini/cookbook, issue 1290; vercel/ai, issue 8943; read 2026-11-29. */
function penaltyFault({ generationConfig: config = {} }: JsonBody, model: string): Refusal | undefined {
  const isSet = (config.presencePenalty ?? config.frequencyPenalty ?? 0) !== 0;
  if (!isSet || /gemini-(?:1|2\.0)/.test(model)) return undefined;
  return broken('a penalty', `Penalty is not enabled for models/${model}`);
}

export const googleGemini: DialectDouble = {
  lineEnd: '\r\n',
  rules: [...new Set([...body.rules, ...RULES, DRAFT_RULE])],
  refuse({ body: sent, model, platform }) {
    const fault = body(sent);
    if (fault) return misshapen(fault);
    const bytes = JSON.stringify(sent).length;
    if (bytes > INLINE_BYTES_MAX) {
      return broken('a request of 21 MB', `Request payload size exceeds the limit: ${INLINE_BYTES_MAX} bytes.`);
    }
    return (
      (platform === 'vertex' ? idsFault(sent.contents) : undefined) ??
      picturesFault(sent, model) ??
      definitionsFault(sent) ??
      wordsFault(sent.contents) ??
      turnsFault(sent.contents) ??
      thinkingFault(sent, model) ??
      penaltyFault(sent, model) ??
      signaturesFault(sent.contents, model)
    );
  },
  counting: {
    rules: ['an unknown field', 'a field that is missing'],
    refuse(call) {
      const fault = countShapes[call.platform](call.body);
      if (fault) return misshapen(fault);
      const { model: _model, ...counted } = call.platform === 'vertex' ? call.body : call.body.generateContentRequest;
      return googleGemini.refuse({ ...call, body: counted });
    },
    reply: (totalTokens) => ({ totalTokens }),
  },
  reply(scripted, { model, platform, body: sent }) {
    const draws = sent.generationConfig?.responseModalities?.includes('IMAGE') === true;
    const reply = draws ? scripted : withoutImages(scripted);
    const thinks = reply.parts.some(({ type }) => type === 'thinking');
    const hasCalls = reply.parts.some(({ type }) => type === 'call');
    const firstCall = reply.parts.find(({ type }) => type === 'call');
    const isThird = model.includes('gemini-3');
    const parts = reply.parts.map((each) =>
      partsOf(each, {
        isFirstCall: each === firstCall && (thinks || isThird),
        thinks: thinks && !hasCalls,
        id: isThird && platform !== 'vertex',
        // ai.google.dev/gemini-api/docs/thought-signatures: on every picture of the third generation.
        signsImages: isThird,
      }),
    );
    const grounding = groundingOf(reply);
    const end = { finishReason: FINISHES[stopOf(reply)], index: 0, ...(grounding && { groundingMetadata: grounding }) };
    const { input, cached, output, reasoning, images } = reply.usage ?? DOUBLE_USAGE;
    const usageMetadata = {
      promptTokenCount: input + cached,
      ...(cached > 0 && { cachedContentTokenCount: cached }),
      candidatesTokenCount: output - reasoning,
      ...(images !== undefined && { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: images }] }),
      ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
      totalTokenCount: input + cached + output,
    };
    const beside = { modelVersion: model, responseId: 'reply-double' };
    const common = { ...(reply.usage !== null && { usageMetadata }), ...beside };
    const chunk = (some: JsonBody[], more: object = { index: 0 }): JsonBody => ({
      event: '',
      data: { candidates: [{ content: { parts: some, role: 'model' }, ...more }], ...common },
    });
    // A signature follows the words it belongs to, on an empty text.
    const pieces: JsonBody[] = parts.flatMap(({ text: words, thoughtSignature, ...rest }: JsonBody) =>
      words === undefined
        ? [{ ...rest, ...(thoughtSignature && { thoughtSignature }) }]
        : [
            ...slices(words).map((some) => ({ text: some, ...rest })),
            ...(thoughtSignature ? [{ text: '', thoughtSignature }] : []),
          ],
    );
    return {
      whole: { candidates: [{ content: { parts, role: 'model' }, ...end }], ...common },
      events: pieces.slice(0, -1).map((each) => chunk([each])),
      end: [chunk(pieces.slice(-1), end)],
    };
  },
  failure,
  failureEvent: (kind, message) => ({ event: '', data: failure(kind, message).body }),
};
