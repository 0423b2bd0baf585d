import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';

/** A tool the sandbox may call. */
export interface OfferedTool {
  readonly name: string;
  readonly schema: JsonObject;
}

/** The parts of a Messages request that the sandbox models use. */
export interface SandboxRequest {
  readonly model: string;
  /** Messages of the conversation so far. */
  readonly turns: number;
  /** Text of the last user message, its parts joined by line feeds. */
  readonly lastText: string;
  /** Text of the last user message that has any: its instructions apply while its tools run. */
  readonly instructionText: string;
  /** Messages with results of tools after that one. */
  readonly steps: number;
  /** Text of the tool results in the last message; undefined when there are none. */
  readonly toolResult: string | undefined;
  /** The tools that the model may call; only the forced one where there is one. */
  readonly tools: readonly OfferedTool[];
  readonly parallelTools: boolean;
  readonly thinkingOff: boolean;
  /** Schema of the requested structured output. */
  readonly outputSchema: JsonObject | undefined;
  readonly maxTokens: number;
  readonly speed: string | undefined;
  readonly inferenceGeo: string | undefined;
  /** UTF-8 bytes of all text, tools included, over four, rounded up. */
  readonly inputTokens: number;
}

/** Output limit of a request without one. The dialect always sends a limit. */
const MAX_TOKENS_DEFAULT = 4096;
const BYTES_PER_TOKEN = 4;

/** Reads the body of a call. Any invalid part counts as absent: the sandbox refuses only by the model's name. */
export function readSandboxRequest(body: string): SandboxRequest {
  const request = parse(body);
  const messages = objectsOf(request['messages']);
  const users = messages.filter((message) => message['role'] === 'user');
  const last = users.at(-1);
  const withText = users.findLastIndex((message) => textOf(message['content']) !== '');
  const blocks = objectsOf(last?.['content']);
  const results = blocks.filter((block) => block['type'] === 'tool_result');
  const choice = objectOf(request['tool_choice']);
  const format = objectOf(objectOf(request['output_config'])['format']);
  const maxTokens = request['max_tokens'];
  return {
    model: typeof request['model'] === 'string' ? request['model'] : '',
    turns: messages.length,
    lastText: textOf(last?.['content']),
    instructionText: textOf(users[withText]?.['content']),
    steps: users.length - 1 - withText,
    toolResult: results.length > 0 ? results.map((result) => textOf(result['content'])).join('\n') : undefined,
    tools: readTools(request['tools'], choice),
    parallelTools: choice['disable_parallel_tool_use'] !== true,
    thinkingOff: objectOf(request['thinking'])['type'] === 'disabled',
    outputSchema: isJsonObject(format['schema']) ? format['schema'] : undefined,
    maxTokens: typeof maxTokens === 'number' && maxTokens >= 0 ? maxTokens : MAX_TOKENS_DEFAULT,
    speed: wordOf(request['speed']),
    inferenceGeo: wordOf(request['inference_geo']),
    inputTokens: Math.ceil(countTextBytes(request, messages) / BYTES_PER_TOKEN),
  };
}

function readTools(value: Json | undefined, choice: JsonObject): OfferedTool[] {
  if (choice['type'] === 'none') return [];
  const tools: OfferedTool[] = [];
  for (const tool of objectsOf(value)) {
    const name = tool['name'];
    if (typeof name !== 'string' || (choice['type'] === 'tool' && choice['name'] !== name)) continue;
    tools.push({ name, schema: objectOf(tool['input_schema']) });
  }
  return tools;
}

function countTextBytes(request: JsonObject, messages: readonly JsonObject[]): number {
  let bytes = Buffer.byteLength(textOf(request['system']));
  for (const tool of objectsOf(request['tools'])) bytes += Buffer.byteLength(JSON.stringify(tool));
  for (const message of messages) {
    bytes += Buffer.byteLength(textOf(message['content']));
    for (const block of objectsOf(message['content'])) {
      if (block['type'] === 'tool_result') bytes += Buffer.byteLength(textOf(block['content']));
      else if (block['type'] === 'tool_use') bytes += Buffer.byteLength(JSON.stringify(block['input'] ?? {}));
    }
  }
  return bytes;
}

/** A string unchanged; the text of the text blocks of a list. */
function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  const texts: string[] = [];
  for (const block of objectsOf(content)) {
    if (block['type'] === 'text' && typeof block['text'] === 'string') texts.push(block['text']);
  }
  return texts.join('\n');
}

const wordOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

const objectsOf = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];

function parse(body: string): JsonObject {
  try {
    const value: unknown = JSON.parse(body);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
