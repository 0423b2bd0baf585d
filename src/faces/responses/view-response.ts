import { type StopReason } from '../../core/conversation/event.js';
import type { Reply } from '../../core/conversation/reply.js';
import type { Usage } from '../../core/conversation/usage.js';
import { definedOnly } from '../../core/defined.js';
import type { ErrorKind, GatewayError } from '../../core/errors.js';
import { generationSeconds } from '../../core/ids.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import { SERVICE_TOOL_PREFIX } from '../../core/tool.js';
import { StepCounter, type Steps } from '../../core/steps.js';
import { viewParsedFile } from '../../core/conversation/parsed-file.js';
import { APPEARANCES } from '../../shared/http/error-views.js';
import type { GenerationView } from '../common/face.js';
import type { CreateResponseDto } from './create-response.dto.js';
import type { ItemStatus } from './item-sink.js';
import { OutputItems, type ReplyOptions } from './output-items.js';
import type { ResponseBody } from './schemas/reply.js';
import { viewServiceTier } from '../common/view-cost.js';
import { viewUsage } from './view-usage.js';

/** Why a reply ended: `status` and its detail. */
interface Ending {
  readonly status: 'completed' | 'incomplete';
  readonly incomplete_details: JsonObject | null;
}

const COMPLETED: Ending = { status: 'completed', incomplete_details: null };
const CUT: Ending = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
const FILTERED: Ending = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };

const ENDINGS: Readonly<Record<StopReason['unified'], Ending>> = {
  'end-turn': COMPLETED,
  'output-limit': CUT,
  'context-limit': CUT,
  'stop-sequence': COMPLETED,
  'tool-use': COMPLETED,
  // The vendor's turn continues when its reply is sent back; this format has no word for that.
  pause: COMPLETED,
  refusal: FILTERED,
  'content-filter': FILTERED,
  compaction: COMPLETED,
  computed: COMPLETED,
  other: COMPLETED,
};

export function endingOf({ unified, raw, vendor }: StopReason): Ending {
  // A loop of tools ended because one of its limits did not allow another step.
  if (unified === 'pause' && raw === null) return CUT;
  // Vendors of OpenAI's formats refuse in a separate part and end as usual.
  const refusedInWords = unified === 'refusal' && (vendor === 'openai' || vendor === 'openai-responses');
  return refusedInWords ? COMPLETED : ENDINGS[unified];
}

/** The status of the item that the end of the reply cut off. */
export const lastStatus = (ending: Ending): ItemStatus => (ending === CUT ? 'incomplete' : 'completed');

/** The response before anything of its end is known: the form of its first events. */
export const responseHead = (generation: GenerationView, echo: JsonObject): JsonObject => ({
  id: generation.id,
  object: 'response',
  created_at: generationSeconds(generation.id),
  completed_at: null,
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  model: generation.model,
  output: [],
  ...echo,
});

/** A response that has ended. */
export function viewEnd(
  generation: GenerationView,
  echo: JsonObject,
  end: { readonly stop: StopReason; readonly usage: Usage; readonly output: readonly JsonObject[] },
): ResponseBody {
  const { bill, charged, files, extras } = generation;
  return {
    ...responseHead(generation, echo),
    completed_at: Math.floor(Date.now() / 1000),
    ...endingOf(end.stop),
    output: end.output,
    ...(files.length > 0 && { annotations: files.map(viewParsedFile) }),
    usage: viewUsage(charged ?? end.usage, { bill, isByok: generation.isByok }),
    ...viewServiceTier(end.usage, generation),
    ...extras,
  } as unknown as ResponseBody;
}

/** The body of a whole reply (docs/use/responses.md#reply). */
export function* viewReply(
  { blocks, usage, stop }: Reply,
  generation: GenerationView,
  { echo, ...options }: ReplyOptions & { readonly echo: JsonObject },
): Steps<ResponseBody> {
  const items = new OutputItems(tailOf(generation), options, undefined);
  const steps = new StepCounter();
  for (const { start, text, signature, citations, opaqueDeltas } of blocks) {
    if (steps.isOver()) yield;
    items.begin(start);
    if (text !== '') items.grow(textDelta(start.type, text));
    for (const citation of citations) items.grow({ type: 'citation', citation });
    for (const opaque of opaqueDeltas) items.grow({ type: 'opaque', opaque });
    if (signature !== undefined) items.grow({ type: 'signature', signature });
    items.end();
  }
  items.finish(lastStatus(endingOf(stop)));
  return viewEnd(generation, echo, { stop, usage, output: items.output });
}

const textDelta = (type: string, text: string) => {
  if (type === 'thinking') return { type, text } as const;
  return type === 'tool-use' || type === 'server-tool-use'
    ? ({ type: 'input-json', json: text } as const)
    : ({ type: 'text', text } as const);
};

/** The ids of items continue that of their generation. */
export const tailOf = ({ id }: GenerationView): string => id.slice(id.lastIndexOf('-') + 1);

/** Kinds of errors with a separate code; every other is the server's. */
const CODES: Readonly<Partial<Record<ErrorKind, string>>> = {
  'rate-limited': 'rate_limit_exceeded',
  'invalid-request': 'invalid_prompt',
  'context-too-long': 'invalid_prompt',
  'too-large': 'invalid_prompt',
  unprocessable: 'invalid_prompt',
};

/** Words in messages by which agents recognise a temporary failure (docs/use/responses.md#failures). */
const WORDS: Readonly<Partial<Record<ErrorKind, string>>> = {
  'rate-limited': 'rate limit',
  unavailable: 'overloaded',
  'service-unavailable': 'overloaded',
  overloaded: 'overloaded',
  'timed-out': 'connection error',
  'client-closed': 'connection error',
  internal: 'connection error',
};

/** Failures that a repetition would meet again, and might pay for again. */
const LASTING: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'invalid-request',
  'context-too-long',
  'too-large',
  'unprocessable',
  'payment-required',
  'forbidden',
]);

const KNOWN_WORDS = /provider returned error|overloaded|connection error|rate limit/i;

const inKnownWords = (kind: ErrorKind, message: string): string =>
  LASTING.has(kind) || KNOWN_WORDS.test(message) ? message : `${WORDS[kind] ?? 'provider returned error'}: ${message}`;

/** The response that failed after its start. */
export function viewFailure(
  generation: GenerationView,
  echo: JsonObject,
  { error, output }: { readonly error: GatewayError; readonly output: readonly JsonObject[] },
): JsonObject {
  const { kind, message, detail } = error;
  return {
    ...responseHead(generation, echo),
    status: 'failed',
    output,
    error: { code: CODES[kind] ?? 'server_error', message: inKnownWords(kind, message) },
    error_type: detail.errorType ?? APPEARANCES[kind].errorType,
    ...(detail.metadata && { error_metadata: detail.metadata }),
    ...generation.extras,
  };
}

/** The fields of a request that its response repeats. */
export function echoOf(dto: CreateResponseDto): JsonObject {
  const tools = dto.tools?.filter(({ type }) => !type.startsWith(SERVICE_TOOL_PREFIX)) ?? [];
  return {
    instructions: dto.instructions ?? null,
    metadata: dto.metadata ?? {},
    tools: tools as unknown as Json,
    tool_choice: dto.tool_choice ?? 'auto',
    parallel_tool_calls: dto.parallel_tool_calls ?? true,
    temperature: dto.temperature ?? null,
    top_p: dto.top_p ?? null,
    frequency_penalty: dto.frequency_penalty ?? null,
    presence_penalty: dto.presence_penalty ?? null,
    max_output_tokens: dto.max_output_tokens ?? null,
    max_tool_calls: dto.max_tool_calls ?? null,
    previous_response_id: null,
    reasoning: { effort: dto.reasoning?.effort ?? null, summary: dto.reasoning?.summary ?? null },
    text: { format: (dto.text?.format ?? { type: 'text' }) as Json, ...verbosityOf(dto) },
    truncation: dto.truncation ?? 'disabled',
    store: false,
    background: false,
    ...definedOnly({
      top_logprobs: dto.top_logprobs,
      user: dto.user,
      safety_identifier: dto.safety_identifier,
      prompt_cache_key: dto.prompt_cache_key,
    }),
  };
}

const verbosityOf = ({ text }: CreateResponseDto): JsonObject => (text?.verbosity ? { verbosity: text.verbosity } : {});
