import type { JsonBody } from '../support/recorded-request.js';
import type { Reading, RecordedUsage, Recording } from './harness.js';

// What a recording must become on the third face: the reading of its provider's format in the words of responses
// (docs/use/responses.md#reply), stated independently of the code under test.

export interface ExpectedCall {
  readonly id?: string;
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

/** Lists of one member have one right answer; longer ones name what else is right. */
export interface ExpectedResponse {
  readonly texts: readonly string[];
  /** Runs of text that appear whole, however they are joined. */
  readonly runs: readonly string[];
  /** Undefined where the recording has none. */
  readonly refusal: string | undefined;
  readonly reasonings: readonly string[];
  readonly calls: readonly ExpectedCall[];
  /** Each with its reason. Undefined: a fault of the model, after which anything may follow. */
  readonly statuses: readonly string[] | undefined;
  readonly usages: readonly RecordedUsage[];
  /** What the provider requires in the next turn. */
  readonly proofs: readonly { readonly what: string; readonly value: string }[];
  readonly urls: readonly string[];
  /** Further addresses that may be cited; undefined: the list is exact. */
  readonly otherUrls: ReadonlySet<string> | undefined;
  readonly logprobs: number | undefined;
  readonly images: number;
}

const COMPLETED = 'completed';
const CUT = 'incomplete: max_output_tokens';
const FILTERED = 'incomplete: content_filter';

/** By the words of Messages and of chat. Every other end is complete. */
const STATUSES: Readonly<Record<string, string>> = {
  max_tokens: CUT,
  model_context_window_exceeded: CUT,
  length: CUT,
  model_length: CUT,
  refusal: FILTERED,
  content_filter: FILTERED,
};
const statusOf = (stop: string | null | undefined): string => STATUSES[stop ?? ''] ?? COMPLETED;

export function expectResponse(recording: Recording, reading: Reading): ExpectedResponse {
  switch (recording.dialect) {
    case 'anthropic-messages':
    case 'bedrock-invoke':
      return ofMessages(reading);
    case 'openai-chat':
      return ofChat(recording, reading);
    default:
      return ofOther(recording, reading);
  }
}

const proofsOf = (what: string, values: readonly string[]): ExpectedResponse['proofs'] =>
  values.map((value) => ({ what, value }));

function ofMessages({
  text,
  texts,
  reasoning,
  signatures,
  sealed,
  tools,
  urls,
  stop,
  usage,
}: Reading): ExpectedResponse {
  return {
    texts: [text],
    runs: texts,
    refusal: '',
    reasonings: [reasoning],
    calls: tools.map((tool: JsonBody) => ({ ...tool, arguments: JSON.stringify(tool.input ?? {}) })),
    statuses: [statusOf(stop)],
    usages: [usage],
    proofs: [...proofsOf('signature', signatures), ...proofsOf('sealed reasoning', sealed)],
    urls,
    otherUrls: undefined,
    logprobs: undefined,
    images: 0,
  };
}

function ofChat({ request }: Recording, reading: Reading): ExpectedResponse {
  const { text, refusal, reasoning, tools, stop, usage, details, annotations, citations, images, logprobs } = reading;
  const cited: JsonBody[] = annotations.filter(({ type }: JsonBody) => type === 'url_citation');
  const urls = cited.map(({ url_citation: page, url }) => page?.url ?? url);
  const sealed: JsonBody[] = details.filter(({ type, data }: JsonBody) => type === 'reasoning.encrypted' && data);
  const signed: JsonBody[] = details.filter(({ signature }: JsonBody) => typeof signature === 'string' && signature);
  return {
    texts: [text],
    runs: [],
    refusal,
    reasonings: [reasoning],
    calls: tools,
    statuses: [statusOf(stop)],
    usages: usage ? [usage] : [],
    proofs: [
      ...proofsOf('signature', signed.map(({ signature }) => signature)),
      ...proofsOf('sealed reasoning', sealed.map(({ data }) => data)),
    ],
    urls: annotations.length > 0 ? urls : (citations ?? []),
    otherUrls: undefined,
    logprobs: request.logprobs ? logprobs : undefined,
    images,
  }; // oxfmt-ignore
}

/** Formats whose readings have one shape. */
function ofOther({ dialect, request }: Recording, reading: Reading): ExpectedResponse {
  const { text, texts, refusal, reasoning, tools, stops, usages = [], keeps, urls, allowed, plan, images } = reading;
  const refusesInWords = dialect === 'openai-responses' && refusal !== '';
  const inWords = (stop: string): string => (stop === 'refusal' && refusesInWords ? COMPLETED : statusOf(stop));
  const reasonings: readonly string[] = reading.reasonings ?? [reasoning];
  const isFiltered = stops?.includes('refusal') === true;
  return {
    texts: [text, ...(plan ? [plan + text] : [])],
    runs: texts,
    refusal: isFiltered && refusal === '' ? undefined : refusal,
    reasonings: plan ? reasonings.flatMap((one) => [one, one + plan, plan + one]) : reasonings,
    calls: tools,
    statuses: reading.loose ? undefined : stops?.map(inWords),
    usages,
    proofs: keeps,
    urls: [...new Set<string>(urls)],
    otherUrls: allowed,
    logprobs: request.logprobs ? reading.logprobs : undefined,
    images: images ?? 0,
  };
}
