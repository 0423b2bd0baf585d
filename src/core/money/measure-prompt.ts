import type {
  CacheMarker,
  ContentBlock,
  DocumentSource,
  ImageBlock,
  MediaSource,
  ToolReferenceBlock,
} from '../conversation/content.js';
import type { ModelRequest } from '../conversation/request.js';
import { isRunByCaller, type Tool } from '../conversation/tools.js';
import { isJsonObject, printJson, type Json, type Opaque } from '../json/json.js';
import { searchFields } from '../routing/priced-words.js';
import type { MeasuredAdvisor } from './advisors.js';
import { readImageSize } from './image-size.js';
import type { SizedImage } from './image-tokens.js';
import type { PdfSize } from './pdf-size.js';
import { TOOL_REQUESTS_MAX } from './sane-usage.js';

/**
 * What a message or a tool may add besides its text: role, separators, the vendor's own words around it
 * (docs/reasons/money.md#bound).
 */
export const FRAME_TOKENS = 64;
/**
 * Searches of a vendor's tool without a limit of its own. As docs/wire/tools-and-plugins.md#the-loop has it
 * for all tools of one answer.
 */
export const WEB_SEARCHES_DEFAULT = 30;
/** Calls of an advisor without a limit of its own. Chosen: its vendor speaks of one or two for a task. */
const ADVISOR_USES_DEFAULT = 3;

const WEB_SEARCH = /^web_search/;
/** Fields that switch a vendor's tools on without standing among the tools, beside `searchFields`. */
const NATIVE_TOOL_FIELDS = ['mcp_servers', 'container'] as const;
const PDF = 'application/pdf';

/**
 * What the bound of a request is made from, whatever leg it goes to: measured once, priced for each leg (`boundOf`).
 * Holds nothing of its content.
 */
export interface MeasuredPrompt {
  /** At most so many for texts, tools and schemas, and what frames them. */
  readonly textTokens: number;
  /** All of them, however they came. */
  readonly images: number;
  /** Those whose size could be read; what the others count is the model's maximum. */
  readonly imageSizes?: readonly SizedImage[];
  /** PDFs whose bytes stand in the request. */
  readonly documents: number;
  /** Those that could be counted (`withPdfSizes`); the others count as the longest that vendors take. */
  readonly pdfSizes?: readonly PdfSize[];
  /** The longest that the request asks a provider to keep its prompt for; absent: it asks none to. */
  readonly cacheWrites?: '5m' | '1h';
  /**
   * Something in it has no bound but the context: files by address, media of other kinds or stored elsewhere, tools
   * the vendor runs.
   */
  readonly fillsContext: boolean;
  /** Most searches the vendor runs. */
  readonly webSearches: number;
  readonly maxOutputTokens?: number;
  /** The vendor may shorten the conversation first: a call of the model beside the one that answers. */
  readonly compacts?: boolean;
  readonly advisors?: readonly MeasuredAdvisor[];
}

/**
 * Measures a request for its bound (docs/reasons/money.md#bound): half a token for each ASCII byte, one for each other
 * byte, 64 for each message and each tool; the system prompt is a message.
 *
 * The bytes are not looked at: the length of the UTF-8 form is asked of the engine, which neither makes it nor copies
 * the text. With `bytes` of it in `units` UTF-16 units, `2 × (bytes − units)` is the number of non-ASCII bytes wherever
 * a character has two bytes or four, and one more for each character of three. So `1.5 × bytes − units` is the formula
 * itself but for those, and for those half a token above it: never below, and several times faster than a scan of the
 * text.
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
  if (request.outputFormat?.type === 'json-schema') tally.addJson(request.outputFormat.schema);
  if (request.contextManagement) tally.addJson(request.contextManagement.value);
  if (request.extras) addExtras(request.extras, tally);
  const { bytes, units, frames, images, imageSizes, documents, fillsContext, webSearches, cacheWrites } = tally;
  const { maxOutputTokens } = request;
  return {
    textTokens: Math.ceil((3 * bytes - 2 * units) / 2) + frames * FRAME_TOKENS,
    images,
    ...(imageSizes.length > 0 && { imageSizes }),
    documents,
    fillsContext,
    webSearches,
    ...(cacheWrites && { cacheWrites }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(request.contextManagement && compacts(request.contextManagement) && { compacts: true }),
    ...(tally.advisors.length > 0 && { advisors: tally.advisors }),
  };
}

/** What a text counts in the bound of a prompt, as `measurePrompt` does. */
export const textTokens = (text: string): number => Math.ceil((3 * Buffer.byteLength(text) - 2 * text.length) / 2);

/** The PDFs that a request brings along, in base64: as many as its `documents`. */
export function listPdfs(request: ModelRequest): string[] {
  const pdfs: string[] = [];
  const add = (block: ContentBlock | ToolReferenceBlock): void => {
    if (block.type === 'tool-result') block.content.forEach(add);
    else if (block.type === 'document' && isPdf(block.source)) pdfs.push(block.source.data);
  };
  for (const { content } of request.messages) content.forEach(add);
  return pdfs;
}

/** @param sizes of the request's PDFs, undefined for what could not be counted */
export function withPdfSizes(prompt: MeasuredPrompt, sizes: readonly (PdfSize | undefined)[]): MeasuredPrompt {
  return { ...prompt, pdfSizes: sizes.filter((size) => size !== undefined) };
}

/** What was found so far. One per request. */
class Tally {
  frames = 0;
  images = 0;
  readonly imageSizes: SizedImage[] = [];
  documents = 0;
  cacheWrites: '5m' | '1h' | undefined;
  fillsContext = false;
  webSearches = 0;
  readonly advisors: MeasuredAdvisor[] = [];
  /** Of all texts, in UTF-8 and in UTF-16. */
  bytes = 0;
  units = 0;

  add(text: string): void {
    this.bytes += Buffer.byteLength(text);
    this.units += text.length;
  }

  mark(marker: CacheMarker | undefined): void {
    if (marker && this.cacheWrites !== '1h') this.cacheWrites = marker.ttl ?? '5m';
  }

  /** As it is sent: printed, which makes a copy for a moment. Arguments and schemas are short beside texts. */
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
      // Newer models keep the reasoning itself in here, encrypted.
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
      return;
    case 'tool-result':
      tally.add(block.toolUseId);
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
      // Some may be sent the file, others its words: either has room.
      if (block.inWords?.type === 'blocks') for (const part of block.inWords.blocks) addBlock(part, tally);
      return;
    case 'image':
      addImage(block, tally);
      return;
    // Nobody wrote down what these come to. Results of a vendor's tools are encrypted, and perhaps compressed.
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
  // By address its size is not known: it counts as the largest that the model takes.
  if (source.type === 'url') return;
  const size = readImageSize(source.data);
  if (size) tally.imageSizes.push({ ...size, ...(detail !== undefined && { detail }) });
}

/** A vendor's own blocks and tools are sent as they came, their marker among the rest. */
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
      // What no target's vendor runs by itself is a function when it is measured.
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

/** What core does not model goes to the vendor as it came, and may be read by the model. */
function addExtras(extras: Opaque, tally: Tally): void {
  const { value } = extras;
  tally.addJson(value);
  const searches = searchFields(extras).length;
  const isNative = (field: string): boolean => Object.hasOwn(value, field) && value[field] !== null;
  tally.fillsContext ||= searches > 0 || NATIVE_TOOL_FIELDS.some(isNative);
  tally.webSearches += searches * WEB_SEARCHES_DEFAULT;
}

/** Editing of the context by a call of the model, as against leaving parts of it out. */
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
