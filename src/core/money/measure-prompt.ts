import type {
  CacheMarker,
  ContentBlock,
  DocumentSource,
  ImageBlock,
  MediaSource,
  ToolReferenceBlock,
} from '../conversation/content.js';
import type { ModelRequest, UndeclaredMembers } from '../conversation/request.js';
import type { TaskRequest } from '../conversation/task-request.js';
import { isRunByCaller, type Tool } from '../conversation/tools.js';
import { isJsonObject, printJson, type Json, type Opaque } from '../json/json.js';
import { searchFields } from '../routing/priced-options.js';
import type { MeasuredAdvisor } from './advisors.js';
import { readImageSize } from './image-size.js';
import type { SizedImage } from './image-tokens.js';
import type { PdfSize } from './pdf-size.js';
import { measureTask } from './measure-task.js';
import { TOOL_REQUESTS_MAX } from './sane-usage.js';

/**
 * The most tokens that a message or a tool adds to its text: role, separators, text of the vendor around it
 * (docs/contribute/reasons/money.md#bound).
 */
export const FRAME_TOKENS = 64;
/**
 * Searches of a vendor's tool without a separate limit: the default of docs/use/tools-and-plugins.md#the-loop for all
 * tools of one answer.
 */
export const WEB_SEARCHES_DEFAULT = 30;
/** Calls of an advisor without a separate limit. Chosen: its vendor documents one or two for a task. */
const ADVISOR_USES_DEFAULT = 3;

const WEB_SEARCH = /^web_search/;
/** Fields besides `searchFields` that enable a vendor's tools outside the list of tools. */
const NATIVE_TOOL_FIELDS = ['mcp_servers', 'container'] as const;
const PDF = 'application/pdf';

/** Sizes from which `boundOf` computes the bound of a request, for any leg. Contains no content. */
export interface MeasuredPrompt {
  /** The most tokens of texts, tools and schemas, and of their frames. */
  readonly textTokens: number;
  /** The number of images, in any form. */
  readonly images: number;
  /** The images whose size could be read; the others count as the model's maximum. */
  readonly imageSizes?: readonly SizedImage[];
  /** PDFs whose bytes are in the request. */
  readonly documents: number;
  /** The PDFs whose size could be read (`withPdfSizes`); the others count as the longest that vendors accept. */
  readonly pdfSizes?: readonly PdfSize[];
  /** The longest cache lifetime that the request sets; absent: it sets none. */
  readonly cacheWrites?: '5m' | '1h';
  /**
   * Whether the request contains something that only the context bounds: files by address, media of other kinds or
   * stored elsewhere, tools that the vendor runs.
   */
  readonly fillsContext: boolean;
  /** The most searches that the vendor runs. */
  readonly webSearches: number;
  readonly maxOutputTokens?: number;
  /** The vendor may compact the conversation first: a call of the model beside the one that answers. */
  readonly compacts?: boolean;
  readonly advisors?: readonly MeasuredAdvisor[];
  /** Inputs of a task, each with a separate context; absent: it is one prompt. */
  readonly inputs?: number;
  /** The most units of search that a ranking counts as; absent: one. */
  readonly searchUnits?: number;
}

/**
 * Measures a request for its bound (docs/contribute/reasons/money.md#bound): half a token for each ASCII byte, one for
 * each other byte, 64 for each message, each tool and the schema of the answer. The system prompt is a message.
 *
 * The tokens of a text are `1.5 × bytes − units`: the length of its UTF-8 form, which the engine computes without
 * creating it, and its number of UTF-16 units. That is several times faster than a scan, and never too low. It is exact
 * for characters of one byte (0.5), two (2) and four (4, in two units), and half a token too high for those of three.
 */
export function measurePrompt(request: ModelRequest): MeasuredPrompt {
  const tally = new Tally();
  for (const block of request.system) addBlock(block, tally);
  if (request.system.length > 0) tally.frames++;
  for (const message of request.messages) {
    tally.frames++;
    for (const block of message.content) addBlock(block, tally);
  }
  for (const tool of request.tools) addTool(tool, tally);
  if (request.cacheMarker) tally.mark(request.cacheMarker);
  if (request.outputFormat?.type === 'json-schema') {
    // Models that cannot enforce it receive it as instructions.
    tally.frames++;
    tally.addJson(request.outputFormat.schema);
  }
  if (request.contextManagement) tally.addJson(request.contextManagement.value);
  if (request.extras) addExtras(request.extras, tally);
  if (request.undeclared) addUndeclared(request.undeclared, tally);
  const { bytes, units, frames, images, imageSizes, documents, fillsContext, webSearches, cacheWrites } = tally;
  const { maxOutputTokens } = request;
  const textTokens = Math.ceil((3 * bytes - 2 * units) / 2) + frames * FRAME_TOKENS;
  return {
    textTokens,
    images,
    ...(imageSizes.length > 0 && { imageSizes }),
    documents,
    fillsContext,
    webSearches,
    ...(cacheWrites && { cacheWrites }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(request.contextManagement && compacts(request.contextManagement) && { compacts: true }),
    ...(tally.advisors.length > 0 && { advisors: tally.advisors }),
    ...(request.task && measureTask(request as TaskRequest, textTokens)),
  };
}

/** The PDFs of a request in base64: as many as its `documents`. */
export function listPdfs(request: ModelRequest): string[] {
  const pdfs: string[] = [];
  const add = (block: ContentBlock | ToolReferenceBlock): void => {
    if (block.type === 'tool-result') block.content.forEach(add);
    else if (block.type === 'document' && isPdf(block.source)) pdfs.push(block.source.data);
  };
  for (const { content } of request.messages) content.forEach(add);
  return pdfs;
}

/** @param sizes of the request's PDFs, undefined for those that could not be counted */
export function withPdfSizes(prompt: MeasuredPrompt, sizes: readonly (PdfSize | undefined)[]): MeasuredPrompt {
  return { ...prompt, pdfSizes: sizes.filter((size) => size !== undefined) };
}

const RESPONSES = 'openai-responses';
/** Members of items of calls and results that their blocks model. */
const MODELLED: ReadonlySet<string> = new Set([
  'type',
  'call_id',
  'name',
  'namespace',
  'input',
  'action',
  'operation',
  'output',
]);
/** The fields that contain the conversation, in each format. */
const CONVERSATION: ReadonlySet<string> = new Set(['system', 'messages', 'input', 'instructions']);

/** The sums so far. One per request. */
class Tally {
  frames = 0;
  images = 0;
  readonly imageSizes: SizedImage[] = [];
  documents = 0;
  cacheWrites: '5m' | '1h' | undefined;
  fillsContext = false;
  webSearches = 0;
  readonly advisors: MeasuredAdvisor[] = [];
  /** Lengths of all texts in UTF-8 and in UTF-16. */
  bytes = 0;
  units = 0;

  add(text: string): void {
    this.bytes += Buffer.byteLength(text);
    this.units += text.length;
  }

  mark(marker: CacheMarker | undefined): void {
    if (marker && this.cacheWrites !== '1h') this.cacheWrites = marker.ttl ?? '5m';
  }

  /**
   * Measured as it is sent: printed, which makes a temporary copy. Arguments and schemas are short compared with texts.
   */
  addJson(value: Json): void {
    this.add(printJson(value));
  }
}

function addBlock(block: ContentBlock | ToolReferenceBlock, tally: Tally): void {
  if (block.cacheMarker) tally.mark(block.cacheMarker);
  switch (block.type) {
    case 'text':
      tally.add(block.text);
      if (block.citations) tally.addJson(block.citations);
      return;
    case 'thinking':
      tally.add(block.thinking);
      // Newer models store the reasoning itself in here, encrypted.
      if (block.signature !== undefined) tally.add(block.signature);
      return;
    case 'redacted-thinking':
      tally.add(block.data);
      return;
    case 'tool-use':
      tally.add(block.id);
      tally.add(block.name);
      if (typeof block.input === 'string') tally.add(block.input);
      else if (block.input !== undefined) tally.addJson(block.input);
      if (block.origin?.vendor === RESPONSES) addOwnMembers(block.origin, tally);
      return;
    case 'tool-result':
      tally.add(block.toolUseId);
      if (block.origin?.vendor === RESPONSES) addOwnMembers(block.origin, tally);
      for (const part of block.content) addBlock(part, tally);
      return;
    case 'tool-reference':
      tally.add(block.toolName);
      return;
    case 'search-result':
      tally.add(block.source);
      tally.add(block.title);
      for (const part of block.content) addBlock(part, tally);
      return;
    case 'document':
      tally.add(block.title ?? '');
      tally.add(block.context ?? '');
      addDocument(block.source, tally);
      // Some targets may receive the file, others its text: both fit.
      if (block.inWords?.type === 'blocks') for (const part of block.inWords.blocks) addBlock(part, tally);
      return;
    case 'image':
      addImage(block, tally);
      return;
    // The tokens of these are not documented. Results of a vendor's tools are encrypted, and perhaps compressed.
    case 'opaque':
      markOpaque(block.opaque.value, tally);
      tally.fillsContext = true;
      return;
    case 'audio':
    case 'video':
      tally.fillsContext = true;
  }
}

function addImage({ source, detail }: ImageBlock, tally: Tally): void {
  tally.images++;
  // The size of an image by address is unknown: it counts as the largest that the model accepts.
  if (source.type === 'url') return;
  const size = readImageSize(source.data);
  if (size) tally.imageSizes.push({ ...size, ...(detail !== undefined && { detail }) });
}

/** A vendor's own blocks and tools are sent unchanged, including their marker. */
function markOpaque({ cache_control: marker }: { readonly [key: string]: Json | undefined }, tally: Tally): void {
  if (isJsonObject(marker)) tally.mark(marker['ttl'] === '1h' ? { ttl: '1h' } : {});
}

function addDocument(source: DocumentSource, tally: Tally): void {
  switch (source.type) {
    case 'text':
      tally.add(source.text);
      return;
    case 'blocks':
      for (const block of source.blocks) addBlock(block, tally);
      return;
    case 'base64':
    case 'url':
    case 'file':
      if (isPdf(source)) tally.documents++;
      else tally.fillsContext = true;
  }
}

const isPdf = (source: DocumentSource): source is Extract<MediaSource, { type: 'base64' }> =>
  source.type === 'base64' && source.mediaType === PDF;

function addTool(tool: Tool, tally: Tally): void {
  tally.frames++;
  switch (tool.type) {
    case 'function':
      tally.mark(tool.cacheMarker);
      if (tool.origin) tally.addJson(tool.origin.value);
      else tally.addJson([tool.name, tool.description ?? '', tool.inputSchema]);
      return;
    case 'service':
      tally.addJson([tool.id, tool.parameters]);
      if (tool.served) addTool(tool.served, tally);
      if (tool.id !== 'openrouter:web_search') return;
      // A search that no vendor of a target runs has already been replaced by a function here.
      tally.fillsContext = true;
      tally.webSearches += readUses(tool.parameters['max_uses']);
      return;
    case 'vendor': {
      const { type, max_uses: usesMax, max_tokens: outputMax } = tool.opaque.value;
      tally.addJson(tool.opaque.value);
      if (tool.served) addTool(tool.served, tally);
      tally.mark(tool.cacheMarker);
      markOpaque(tool.opaque.value, tally);
      if (isRunByCaller(tool)) return;
      tally.fillsContext = true;
      if (tool.advisor) {
        const uses = readUses(usesMax, ADVISOR_USES_DEFAULT);
        const limit = typeof outputMax === 'number' && outputMax >= 0 ? { maxOutputTokens: Math.ceil(outputMax) } : {};
        tally.advisors.push({ model: tool.advisor, uses, ...limit });
      }
      if (typeof type === 'string' && WEB_SEARCH.test(type)) tally.webSearches += readUses(usesMax);
    }
  }
}

/** An item of the responses format is sent unchanged to its own vendor: with members that the block does not model. */
function addOwnMembers({ value }: Opaque, tally: Tally): void {
  for (const [name, member] of Object.entries(value))
    if (member !== undefined && !MODELLED.has(name)) tally.addJson(member);
}

/**
 * Members that no face declares are sent unchanged within objects of the vendor. Tools and fields are measured whole.
 */
function addUndeclared({ members }: UndeclaredMembers, tally: Tally): void {
  for (const { path, bytes, units } of members) {
    if (!CONVERSATION.has(path[0]!)) continue;
    tally.bytes += bytes;
    tally.units += units;
  }
}

/** Fields that core does not model are sent to the vendor unchanged, and the model may read them. */
function addExtras(extras: Opaque, tally: Tally): void {
  const { value } = extras;
  tally.addJson(value);
  const searches = searchFields(extras).length;
  const isNative = (field: string): boolean => Object.hasOwn(value, field) && value[field] !== null;
  tally.fillsContext ||= searches > 0 || NATIVE_TOOL_FIELDS.some(isNative);
  tally.webSearches += searches * WEB_SEARCHES_DEFAULT;
}

/** Whether the context is edited by a call of the model, rather than by leaving parts of it out. */
function compacts({ value: { edits } }: Opaque): boolean {
  if (!Array.isArray(edits)) return false;
  return (edits as readonly Json[]).some((edit) => {
    const type = isJsonObject(edit) ? edit['type'] : undefined;
    return typeof type === 'string' && type.startsWith('compact');
  });
}

function readUses(usesMax: Json | undefined, byDefault = WEB_SEARCHES_DEFAULT): number {
  if (typeof usesMax !== 'number' || !Number.isFinite(usesMax)) return byDefault;
  return Math.min(Math.max(0, Math.ceil(usesMax)), TOOL_REQUESTS_MAX);
}
