import type {
  ContentBlock,
  DocumentBlock,
  DocumentSource,
  Message,
  TextBlock,
  ToolResultBlock,
  ToolResultContent,
} from '../core/conversation/content.js';
import type { ModelRequest, OutputFormat } from '../core/conversation/request.js';
import type { Tool } from '../core/conversation/tools.js';
import { parseJson, printJson, type Json, type JsonObject, type Opaque } from '../core/json/json.js';

/**
 * Whose words a text is: `system` also for definitions of tools and of the answer's form, `tool` for what
 * tools were asked and said.
 */
export type TextRole = 'system' | 'user' | 'assistant' | 'tool';

/** Gives the text to send instead; the very same where nothing is to be changed. */
export type Rewrite = (text: string, role: TextRole) => string;

/**
 * The request with all texts of its content rewritten: instructions, turns, tools and the answer's form. What has no
 * changed text in it stays the very same; whatever has is made anew, without the wire object it was read from, up to
 * the message it stands in. Reasoning is left alone, for its signature holds only while it is whole; so are ids, media,
 * and the names of fields.
 */
export function rewriteRequest(request: ModelRequest, rewrite: Rewrite): ModelRequest {
  const system = mapped(request.system, (block) => rewriteText(block, 'system', rewrite));
  const messages = mapped(request.messages, (message) => rewriteMessage(message, rewrite));
  const tools = mapped(request.tools, (tool) => rewriteTool(tool, rewrite));
  const contextManagement =
    request.contextManagement && rewriteOpaque(request.contextManagement, (text) => rewrite(text, 'system'));
  const outputFormat = request.outputFormat && rewriteFormat(request.outputFormat, rewrite);
  const isSame =
    system === request.system &&
    messages === request.messages &&
    tools === request.tools &&
    contextManagement === request.contextManagement &&
    outputFormat === request.outputFormat;
  if (isSame) return request;
  const { outputOrigin, ...rest } = request;
  return {
    ...rest,
    ...(outputOrigin && outputFormat === request.outputFormat && { outputOrigin }),
    system,
    messages,
    tools,
    ...(contextManagement && { contextManagement }),
    ...(outputFormat && { outputFormat }),
  };
}

function rewriteMessage(message: Message, rewrite: Rewrite): Message {
  const { role } = message;
  const content = mapped(message.content, (block) => rewriteBlock(block, role, rewrite));
  return content === message.content ? message : { role, content };
}

function rewriteBlock(block: ContentBlock, role: TextRole, rewrite: Rewrite): ContentBlock {
  switch (block.type) {
    case 'tool-use': {
      const input = rewriteInput(block.input, (text) => rewrite(text, 'tool'));
      return input === block.input ? block : { ...withoutOrigin(block), input };
    }
    case 'tool-result':
      return rewriteToolResult(block, rewrite);
    case 'opaque': {
      // Calls and results of tools that the vendor ran, and summaries of what was said.
      const opaque = rewriteOpaque(block.opaque, (text) => rewrite(text, 'tool'));
      return opaque === block.opaque ? block : { ...withoutOrigin(block), opaque };
    }
    case 'thinking':
    case 'redacted-thinking':
    case 'audio':
    case 'video':
      return block;
    default:
      return rewritePart(block, role, rewrite);
  }
}

function rewriteToolResult(block: ToolResultBlock, rewrite: Rewrite): ToolResultBlock {
  const content = mapped(block.content, (part) => rewritePart(part, 'tool', rewrite));
  return content === block.content ? block : { ...withoutOrigin(block), content };
}

function rewritePart<Part extends ToolResultContent>(part: Part, role: TextRole, rewrite: Rewrite): Part;
function rewritePart(part: ToolResultContent, role: TextRole, rewrite: Rewrite): ToolResultContent {
  switch (part.type) {
    case 'text':
      return rewriteText(part, role, rewrite);
    case 'document':
      return rewriteDocument(part, role, rewrite);
    case 'search-result': {
      const source = rewrite(part.source, role);
      const title = rewrite(part.title, role);
      const content = mapped(part.content, (text) => rewriteText(text, role, rewrite));
      if (source === part.source && title === part.title && content === part.content) return part;
      return { ...withoutOrigin(part), source, title, content };
    }
    case 'image':
    case 'tool-reference':
      return part;
  }
}

function rewriteText(block: TextBlock, role: TextRole, rewrite: Rewrite): TextBlock {
  const text = rewrite(block.text, role);
  const citations =
    block.citations &&
    mapped(block.citations, (citation) => rewriteJson(citation, (inner) => rewrite(inner, role), true));
  if (text === block.text && citations === block.citations) return block;
  return { ...withoutOrigin(block), text, ...(citations && { citations }) };
}

function rewriteDocument(block: DocumentBlock, role: TextRole, rewrite: Rewrite): DocumentBlock {
  const source = rewriteSource(block.source, role, rewrite);
  const title = block.title && rewrite(block.title, role);
  const context = block.context && rewrite(block.context, role);
  if (source === block.source && title === block.title && context === block.context) return block;
  return {
    ...withoutOrigin(block),
    source,
    ...(title !== undefined && { title }),
    ...(context !== undefined && { context }),
  };
}

/** Files and addresses are media: nobody reads them here. */
function rewriteSource(source: DocumentSource, role: TextRole, rewrite: Rewrite): DocumentSource {
  if (source.type === 'text') {
    const text = rewrite(source.text, role);
    return text === source.text ? source : { type: 'text', text };
  }
  if (source.type !== 'blocks') return source;
  const blocks = mapped(source.blocks, (block) => rewritePart(block, role, rewrite));
  return blocks === source.blocks ? source : { type: 'blocks', blocks };
}

function rewriteTool(tool: Tool, rewrite: Rewrite): Tool {
  const change = (text: string): string => rewrite(text, 'system');
  switch (tool.type) {
    case 'function': {
      const description = tool.description && change(tool.description);
      const inputSchema = rewriteObject(tool.inputSchema, change);
      if (description === tool.description && inputSchema === tool.inputSchema) return tool;
      return { ...withoutOrigin(tool), ...(description !== undefined && { description }), inputSchema };
    }
    case 'vendor': {
      const opaque = rewriteOpaque(tool.opaque, change);
      return opaque === tool.opaque ? tool : { ...tool, opaque };
    }
    case 'service':
      return tool;
  }
}

function rewriteFormat(format: OutputFormat, rewrite: Rewrite): OutputFormat {
  if (format.type !== 'json-schema') return format;
  const schema = rewriteObject(format.schema, (text) => rewrite(text, 'system'));
  return schema === format.schema ? format : { ...format, schema };
}

function rewriteOpaque(opaque: Opaque, change: (text: string) => string): Opaque {
  const value = rewriteObject(opaque.value, change);
  return value === opaque.value ? opaque : { ...opaque, value };
}

/**
 * Arguments may come as JSON text, which must stay JSON: what is in it is rewritten, or all of it where it was cut off.
 */
function rewriteInput(input: Json | undefined, change: (text: string) => string): Json | undefined {
  if (input === undefined) return undefined;
  if (typeof input !== 'string') return rewriteJson(input, change, false);
  let read: Json;
  try {
    read = parseJson(input) as Json;
  } catch {
    return change(input);
  }
  const changed = rewriteJson(read, change, false);
  return changed === read ? input : printJson(changed);
}

/**
 * Fields of wire objects and schemas whose texts are names, marks or ciphers: changed, they would break the
 * request and hide nothing.
 */
const STRUCTURE: ReadonlySet<string> = new Set([
  'type', 'id', 'tool_use_id', 'name', 'tool_name', 'server_name', 'file_id', 'container_id', 'media_type', 'signature',
  'encrypted_content', 'encrypted_index', 'encrypted_stdout', 'error_code', 'cache_control', '$schema', '$id', '$ref', '$anchor',
  'format', 'pattern', 'required',
]); // prettier-ignore

/** Within wire objects: what the caller or a tool filled as it liked. No field of it is structure. */
const FREE_FORM: ReadonlySet<string> = new Set(['input', 'arguments']);

/** @param isWire what is in it is a vendor's object or a schema */
function rewriteJson(value: Json, change: (text: string) => string, isWire: boolean): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return mapped(value as readonly Json[], (entry) => rewriteJson(entry, change, isWire));
  return isPlainObject(value) ? rewriteObject(value, change, isWire) : value;
}

function rewriteObject(object: JsonObject, change: (text: string) => string, isWire = true): JsonObject {
  let changed: [string, Json | undefined][] | undefined;
  const entries = Object.entries(object);
  entries.forEach(([key, value], index) => {
    if (value === undefined || (isWire && isStructure(object, key, value))) return;
    const rewritten = rewriteJson(value, change, isWire && !FREE_FORM.has(key));
    if (rewritten === value) return;
    changed ??= [...entries];
    changed[index] = [key, rewritten];
  });
  // `fromEntries` defines keys, so that one named `__proto__` stays a key.
  return changed ? Object.fromEntries(changed) : object;
}

function isStructure(object: JsonObject, key: string, value: Json): boolean {
  if (key === 'data') return object['type'] === 'base64';
  // A property of a schema may have any name: what is an object there is a schema.
  return STRUCTURE.has(key) && (key === 'cache_control' || !isPlainObject(value));
}

/** Numbers past 2⁵³ are objects of their own class. */
const isPlainObject = (value: Json): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.getPrototypeOf(value) === Object.prototype;

/** The very same list when no entry changed. */
function mapped<T>(list: readonly T[], change: (entry: T) => T): readonly T[] {
  let changed: T[] | undefined;
  list.forEach((entry, index) => {
    const next = change(entry);
    if (next === entry) return;
    changed ??= [...list];
    changed[index] = next;
  });
  return changed ?? list;
}

function withoutOrigin<T extends { readonly origin?: unknown }>(value: T): T {
  const { origin: _, ...rest } = value;
  return rest as T;
}
