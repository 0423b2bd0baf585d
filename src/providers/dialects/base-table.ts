import type { Target } from '../../core/provider.js';
import type { TranslationTable } from '../../core/translation.js';
import {
  ABSENT,
  dropped,
  field,
  mapped,
  NOT_SUPPORTED,
  NOT_REPORTED,
  ONLY_ALLOWED,
  refused,
  sent,
  STORED_FILE,
  taken,
} from './rules.js';

type Sections = Pick<TranslationTable<Target>, 'fields' | 'blocks' | 'tools' | 'replies' | 'usage'>;
type Section = keyof Sections;

const NO_MARKERS = dropped('the format has no markers');
const SIGNED = dropped('a signature holds at its signer');
const SEALED = dropped('only its maker can decrypt it');
const HEADED = mapped('text, with title');

/** The rows that at least three dialects share. A dialect states all others, and those in which it differs. */
export const BASE_TABLE = {
  fields: {
    model: field(mapped('`model`')),
    stream: field(mapped('`stream`')),
    temperature: sent('temperature', ({ sampling }) => sampling.temperature, taken('temperature')),
    top_p: sent('top_p', ({ sampling }) => sampling.topP, taken('top_p')),
    tools: field(mapped('`tools`')),
    tool_choice: field(mapped('`tool_choice`; dropped without tools')),
    modalities: field(dropped('the model gives what it gives')),
    task_budget: field(dropped("advice to one vendor's models")),
    context_management: field(dropped("one vendor's editing of its own context")),
    cache_control: field(NO_MARKERS),
    top_a: NOT_SUPPORTED,
    min_p: NOT_SUPPORTED,
    frequency_penalty: NOT_SUPPORTED,
    presence_penalty: NOT_SUPPORTED,
    repetition_penalty: NOT_SUPPORTED,
    seed: NOT_SUPPORTED,
    logit_bias: NOT_SUPPORTED,
    top_logprobs: NOT_SUPPORTED,
    verbosity: NOT_SUPPORTED,
    image_config: NOT_SUPPORTED,
    user: NOT_SUPPORTED,
    metadata: NOT_SUPPORTED,
    prompt_cache_key: NOT_SUPPORTED,
    inference_geo: NOT_SUPPORTED,
    betas: NOT_SUPPORTED,
  },
  blocks: {
    text_citations: dropped('they point into documents of another reply'),
    phase: dropped(),
    image_detail: mapped('`detail`'),
    drawn_image: mapped('replaced by `[Image]`; the image moves to the next user turn'),
    document_text_bytes: HEADED,
    document_text: HEADED,
    document_blocks: mapped('its blocks, with title'),
    document_file: STORED_FILE,
    document_citations: dropped(),
    search_result: mapped('text'),
    audio: refused('audio content'),
    video_bytes: refused('video content'),
    video_url: refused('video content'),
    tool_result_error: mapped('prefix `Error: `'),
    tool_reference: mapped('text'),
    thinking_anthropic: SIGNED,
    thinking_other: SIGNED,
    thinking_unsigned: dropped('vendors refuse or ignore it'),
    sealed_anthropic: SEALED,
    sealed_other: SEALED,
    // Blocks that only Anthropic understands (`foreign-blocks.ts`).
    server_tool_use: mapped('a tool call; if its result is missing, the text `[Called tool <name> with <input>]`'),
    web_search_tool_result: mapped('its result: titles and URLs, or the error; as text if its call is missing'),
    web_fetch_tool_result: mapped('its result: the URL, and a text page; as text if its call is missing'),
    server_tool_result: mapped('its result: its `text`, else its JSON; as text if its call is missing'),
    gateway_tool_result: dropped('with their calls'),
    compaction: mapped('as text; an empty one dropped'),
    other: refused('a block'),
    own_item: refused('a block'),
    foreign_item: refused('a block'),
    cache_control: NO_MARKERS,
    tool_result_cache_control: NO_MARKERS,
    speaker: dropped(),
  },
  tools: {
    function: mapped('`function`'),
    cache_control: NO_MARKERS,
    foreign: refused("the vendor's tool"),
    service: refused('the tool'),
    choice_auto: mapped('`auto`'),
    choice_none: mapped('`none`'),
    choice_allowed: ONLY_ALLOWED,
  },
  replies: {
    refusal: ABSENT,
    argument_pieces: mapped('at once'),
    logprobs: mapped('`logprobs`, where requested'),
  },
  usage: {
    image_output: NOT_REPORTED,
    web_fetches: NOT_REPORTED,
    calls: NOT_REPORTED,
    speed: NOT_REPORTED,
    inference_geo: NOT_REPORTED,
  },
} satisfies { readonly [Name in Section]: Partial<Sections[Name]> };

/** Rows of a dialect: all that the base does not have, and those that replace rows of the base. */
type OwnRows = Omit<TranslationTable<Target>, Section> & {
  readonly [Name in Section]: Omit<Sections[Name], keyof (typeof BASE_TABLE)[Name]> & Partial<Sections[Name]>;
};

/** The whole table of a dialect. Made once for each dialect. */
export const tableOf = (own: OwnRows): TranslationTable<Target> => ({
  ...own,
  fields: { ...BASE_TABLE.fields, ...own.fields },
  blocks: { ...BASE_TABLE.blocks, ...own.blocks },
  tools: { ...BASE_TABLE.tools, ...own.tools },
  replies: { ...BASE_TABLE.replies, ...own.replies },
  usage: { ...BASE_TABLE.usage, ...own.usage },
});
