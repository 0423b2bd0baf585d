import type { ContentBlock, Message } from '../core/conversation/content.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { JSON_DEPTH_MAX, JsonScan } from '../core/json/json-scan.js';
import { ExactNumber, parseJson, printJson } from '../core/json/json.js';
import { decodedText, isCipher } from '../core/text/ciphers.js';
import {
  ARGUMENTS,
  BYTES_NAMES,
  CIPHERS,
  FIXED,
  FORMAT_KEYS,
  FORMAT_WORDS,
  FREE,
  PARAMETERS,
  SCHEMA_FIXED,
  SCHEMA_KEYS,
  SCHEMA_MAPS,
  SCHEMAS,
  SEALED_TYPES,
  WORD_KEYS,
} from './wire-words.js';

/**
 * The speaker of a text: `system` includes definitions of tools and of the output format, `tool` is the input and
 * output of tools.
 */
export type TextRole = 'system' | 'user' | 'assistant' | 'tool';

/** One text of a request. */
export interface RequestText {
  readonly text: string;
  /** Every member that holds it: of the neutral value, and of the wire objects it was read from. */
  readonly locations: readonly TextLocation[];
  /** Filters may not cut it: a key, a number, a name, an id, a word of a format, signed reasoning. */
  readonly isFixed: boolean;
}

export interface TextLocation {
  readonly holder: object;
  readonly key: string;
}

/** Read as one: a text, or the texts of neighbouring blocks. */
export interface Passage {
  readonly role: TextRole;
  readonly texts: readonly RequestText[];
}

/** JSON that is carried as text: a changed value is printed and replaces the text. */
export interface EmbeddedJson {
  readonly location: TextLocation;
  readonly value: object;
}

/** The kind of a value, by which its members are read: `names` are a schema's properties. */
type Kind = 'wire' | 'schema' | 'names' | 'free';

interface Context {
  readonly role: TextRole;
  readonly kind: Kind;
  readonly isFixed: boolean;
  /** A member whose value may be a word of the format. */
  readonly isWord: boolean;
}

/**
 * The treatment of each field of a request. `own`: it is sent to no provider, or is a figure or one of a few words that
 * the face has checked. Every field of `ModelRequest` needs a row here, or the code does not compile.
 */
const FIELDS: Readonly<Record<keyof ModelRequest, 'content' | 'fixed' | 'own'>> = {
  model: 'own',
  system: 'content',
  messages: 'content',
  fieldNames: 'own',
  // Token ids are refused where filters are in force (`Inspector`); the word for the use of vectors is read.
  task: 'own',
  stream: 'own',
  // The texts that are sent are in documents.
  parsedFiles: 'own',
  maxOutputTokens: 'own',
  sampling: 'fixed',
  stopSequences: 'fixed',
  tools: 'content',
  toolChoice: 'fixed',
  parallelToolCalls: 'own',
  thinking: 'fixed',
  effort: 'own',
  reasoningSummary: 'fixed',
  verbosity: 'own',
  outputFormat: 'content',
  modalities: 'own',
  imageConfig: 'content',
  taskBudget: 'own',
  outputOrigin: 'content',
  cacheMarker: 'own',
  contextManagement: 'content',
  sessionId: 'own',
  user: 'fixed',
  metadata: 'fixed',
  promptCacheKey: 'fixed',
  serviceTier: 'fixed',
  speed: 'own',
  inferenceGeo: 'fixed',
  fallbackModels: 'own',
  preferences: 'own',
  plugins: 'own',
  preset: 'own',
  stopServerToolsWhen: 'own',
  maxToolCalls: 'own',
  trace: 'own',
  tags: 'own',
  echoesUpstreamBody: 'own',
  betas: 'fixed',
  fusionDepth: 'own',
  extras: 'content',
  // The values of undeclared members are part of the wire objects, which are read.
  undeclared: 'own',
};

/**
 * Options of plugins that are sent to a search engine, whichever the provider: the only ones of `plugins` to be read.
 */
const SEARCH_OPTIONS = ['include_domains', 'exclude_domains', 'user_location'] as const;

/** Fields that precede the conversation in the prompt. All other fields except the turns count as the user's. */
const OPERATORS: ReadonlySet<string> = new Set([
  'system',
  'tools',
  'outputFormat',
  'outputOrigin',
  'contextManagement',
]);

/** Undefined: a step of a long text that yielded no passage. */
type Steps<Result = void> = Generator<Passage | undefined, Result, undefined>;

/**
 * Walks everything of one request that any dialect may send, neutral values and wire objects alike: each key, text and
 * number that is not a word of the formats.
 */
export class Passages {
  /** Found on the way. */
  readonly embedded: EmbeddedJson[] = [];
  private readonly walked = new Set<object>();
  /** Members that were already emitted together with an adjacent text. */
  private readonly emitted = new Map<object, Set<string>>();

  *of(request: ModelRequest): Steps {
    // The plan adds the advisor of a tool, which comes from the catalog and not from the caller.
    for (const tool of request.tools) if (tool.type === 'vendor' && tool.advisor) this.walked.add(tool.advisor);
    yield* this.turns(request.messages, request.task !== undefined);
    if (request.task?.kind === 'embeddings')
      yield* this.member(request.task, 'inputType', { role: 'user', kind: 'wire', isFixed: true, isWord: false });
    for (const [field, treatment] of Object.entries(FIELDS) as [keyof ModelRequest, string][]) {
      if (treatment === 'own' || field === 'messages' || request[field] === undefined) continue;
      const role = OPERATORS.has(field) ? 'system' : 'user';
      yield* this.member(request, field, { role, kind: 'wire', isFixed: treatment === 'fixed', isWord: false });
    }
    yield* this.searchOptions(request.plugins);
  }

  private *searchOptions(plugins: ModelRequest['plugins']): Steps {
    for (const options of plugins) {
      for (const name of SEARCH_OPTIONS) {
        yield* this.member(options, name, { role: 'user', kind: 'wire', isFixed: true, isWord: false });
      }
    }
  }

  /**
   * Texts of neighbouring turns of one role count as neighbours, and so do those on both sides of an image, a call or
   * anything else: some dialects join all texts of a turn, so the model reads them as one.
   * @param areApart each is an input of its own, with no neighbours
   */
  private *turns(messages: readonly Message[], areApart: boolean): Steps {
    let run: RequestText[] = [];
    let role: Message['role'] = 'user';
    for (const message of messages) {
      if (areApart || message.role !== role) {
        yield* passageOf(role, run);
        run = [];
        role = message.role;
      }
      for (const block of message.content) {
        if (block.type === 'text')
          run.push(this.textOf(block as object as Members, message as object as Members, false));
        yield* this.inside(block as object as Members, {
          role: roleOf(block, role),
          kind: 'wire',
          isFixed: false,
          isWord: false,
        });
        yield undefined;
      }
    }
    yield* passageOf(role, run);
    for (const { role: whose, origin } of messages) {
      if (origin) yield* this.inside(origin.value, { role: whose, kind: 'wire', isFixed: false, isWord: false });
    }
  }

  /** @param holder its only text may be this one, written without a list */
  private textOf(block: Members, holder: Members, isFixed: boolean): RequestText {
    const text = block['text'] as string;
    const locations = [this.emit(block, 'text')];
    const wire = wireOf(block);
    if (wire?.['text'] === text) locations.push(this.emit(wire, 'text'));
    const whole = wireOf(holder);
    if (whole?.['content'] === text) locations.push(this.emit(whole, 'content'));
    return { text, locations, isFixed };
  }

  private emit(holder: object, key: string): TextLocation {
    const keys = this.emitted.get(holder);
    if (keys) keys.add(key);
    else this.emitted.set(holder, new Set([key]));
    return { holder, key };
  }

  private *inside(value: Members, outer: Context): Steps {
    if (this.walked.has(value)) return;
    this.walked.add(value);
    const isSigned = outer.kind === 'wire' && typeof value['signature'] === 'string' && value['signature'] !== '';
    const context = isSigned ? { ...outer, isFixed: true } : outer;
    for (const key of Object.keys(value)) {
      if (value[key] === undefined) continue;
      if (!isFormatKey(key, context.kind)) yield fixed(context.role, key);
      yield* this.member(value, key, within(key, context));
    }
  }

  private *list(entries: readonly unknown[], holder: Members, context: Context): Steps {
    if (this.walked.has(entries)) return;
    this.walked.add(entries);
    let run: RequestText[] = [];
    for (const entry of entries) {
      yield undefined;
      if (context.kind === 'wire' && isTextBlock(entry) && !this.emitted.get(entry)?.has('text')) {
        run.push(this.textOf(entry, holder, context.isFixed));
      } else {
        yield* passageOf(context.role, run);
        run = [];
      }
    }
    yield* passageOf(context.role, run);
    for (const index of entries.keys()) yield* this.member(entries, String(index), context);
  }

  /** One member of an object or a list. @param context of the member itself */
  private *member(holder: object, key: string, context: Context): Steps {
    const value = (holder as Members)[key];
    if (typeof value === 'string') {
      yield* this.text(holder as Members, key, value, context);
    } else if (typeof value === 'number' || value instanceof ExactNumber) {
      if (!isFigure(key, value, context.kind)) yield fixed(context.role, printJson(value));
    } else if (Array.isArray(value)) {
      yield* this.list(value, holder as Members, context);
    } else if (typeof value === 'object' && value !== null) {
      yield* this.inside(value as Members, context);
    }
  }

  private *text(holder: Members, key: string, text: string, context: Context): Steps {
    const { role, kind, isFixed, isWord } = context;
    if (text === '' || this.emitted.get(holder)?.has(key) || (isWord && FORMAT_WORDS.has(text))) return;
    if (kind === 'wire' && CIPHERS.has(key) && holder['type'] !== 'text') return yield* cipher(holder, key, text, role);
    const mayBeJson = kind === 'free' && ARGUMENTS.has(key);
    // Cut as a text it might no longer be JSON, and its value is not known.
    const isUnknown = mayBeJson && text.length > PARSED_LENGTH_MAX && JSON_BEGINS.test(text);
    yield { role, texts: [{ text, locations: [{ holder, key }], isFixed: isFixed || isUnknown }] };
    if (mayBeJson) yield* this.json(holder, key, text, context);
  }

  /** JSON arguments in a text are also read as their value, because some dialects send that. */
  private *json(holder: object, key: string, text: string, context: Context): Steps {
    const value = readJson(text);
    if (typeof value === 'object' && value !== null) {
      this.embedded.push({ location: { holder, key }, value });
      yield* this.member({ value }, 'value', context);
      // A parsed value has only one of two members of one name, and the text may be sent with both.
      if (text.includes('\\') && hasDuplicates(text, value)) yield fixed(context.role, yield* withoutEscapes(text));
    } else {
      const plain = typeof value === 'string' ? value : yield* withoutEscapes(text);
      if (plain !== text) yield fixed(context.role, plain);
    }
  }
}

type Members = { readonly [key: string]: unknown };

const roleOf = ({ type }: ContentBlock, role: TextRole): TextRole =>
  type === 'tool-use' || type === 'tool-result' || type === 'opaque' ? 'tool' : role;

const wireOf = (value: Members): Members | undefined => (value['origin'] as { value: Members } | undefined)?.value;

const isTextBlock = (entry: unknown): entry is Members =>
  typeof entry === 'object' &&
  entry !== null &&
  (entry as Members)['type'] === 'text' &&
  typeof (entry as Members)['text'] === 'string';

/** The context of a member, by its name. */
function within(key: string, context: Context): Context {
  const { role, kind } = context;
  if (kind === 'free') return context;
  if (FREE.has(key) && kind !== 'names') return { role, kind: 'free', isFixed: context.isFixed, isWord: false };
  if (kind === 'names') return { role, kind: 'schema', isFixed: context.isFixed, isWord: false };
  const isWord = WORD_KEYS.has(key);
  if (kind === 'schema') {
    const isFixed = context.isFixed || (SCHEMA_FIXED.has(key) && !SCHEMA_MAPS.has(key));
    return { role, kind: SCHEMA_MAPS.has(key) ? 'names' : 'schema', isFixed, isWord };
  }
  return { role, kind: SCHEMAS.has(key) ? 'schema' : 'wire', isFixed: context.isFixed || FIXED.has(key), isWord };
}

/** Longer numbers may identify a person; no provider's figure is that large. */
const FIGURE_MAX = 1e9;

const isFigure = (key: string, value: unknown, kind: Kind): boolean =>
  kind === 'wire' && PARAMETERS.has(key) && typeof value === 'number' && Math.abs(value) < FIGURE_MAX;

const isFormatKey = (key: string, kind: Kind): boolean =>
  (kind === 'wire' && FORMAT_KEYS.has(key)) || (kind === 'schema' && SCHEMA_KEYS.has(key));

const fixed = (role: TextRole, text: string): Passage => ({ role, texts: [{ text, locations: [], isFixed: true }] });

function* passageOf(role: TextRole, texts: readonly RequestText[]): Steps {
  if (texts.length > 0) yield { role, texts };
}

/**
 * Text that may be base64 or sealed: read as it is written, unless that can contain no words, and as its base64-decoded
 * text. It cannot be cut.
 */
function* cipher(holder: Members, key: string, text: string, role: TextRole): Steps {
  const isSealed = key !== 'data' || SEALED_TYPES.has(holder['type']);
  const isBytes = BYTES_NAMES.some((name) => typeof holder[name] === 'string');
  if (!(isSealed || isBytes) || !(yield* isCipher(text))) yield fixed(role, text);
  const decoded = isSealed ? undefined : yield* decodedText(text);
  if (decoded !== undefined) yield fixed(role, decoded);
}

/** Every level is opened and closed: a shorter text cannot be nested too deep. */
const SHALLOW_LENGTH = 2 * JSON_DEPTH_MAX;

/** Longer arguments are not parsed, because that is a single step. */
const PARSED_LENGTH_MAX = 512 * 1024;
/** A plain argument never begins so. */
const JSON_BEGINS = /^\s*[[{"]/;

/** Undefined for what is no JSON, nested deeper than a body may be, or more than can be read in one step. */
function readJson(text: string): unknown {
  if (text.length > PARSED_LENGTH_MAX || !JSON_BEGINS.test(text)) return undefined;
  try {
    if (text.length > SHALLOW_LENGTH) new JsonScan(Buffer.from(text)).walk(Infinity);
    return parseJson(text);
  } catch {
    // Truncated arguments are common in histories.
    return undefined;
  }
}

function hasDuplicates(text: string, value: object): boolean {
  const scan = new JsonScan(Buffer.from(text));
  scan.walk(Infinity);
  return scan.keys !== keysOf(value);
}

function keysOf(value: object): number {
  let keys = Array.isArray(value) || value instanceof ExactNumber ? 0 : Object.keys(value).length;
  for (const member of Object.values(value) as unknown[]) {
    if (typeof member === 'object' && member !== null) keys += keysOf(member);
  }
  return keys;
}

const ESCAPE = /\\(?:u([\da-fA-F]{4})|(["\\/bfnrt]))/g;
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
/** Escapes that are resolved in one step. */
const ESCAPES_STEP = 2_048;

/** The text as a reader of incomplete JSON sees it. */
function* withoutEscapes(text: string): Steps<string> {
  const pieces: string[] = [];
  let piece: string[] = [];
  let done = 0;
  for (const { 0: escape, 1: code, 2: letter, index } of text.matchAll(ESCAPE)) {
    const character = code === undefined ? (CONTROLS[letter!] ?? letter!) : String.fromCharCode(parseInt(code, 16));
    piece.push(text.slice(done, index), character);
    done = index + escape.length;
    if (piece.length < 2 * ESCAPES_STEP) continue;
    pieces.push(piece.join(''));
    piece = [];
    yield undefined;
  }
  if (done === 0) return text;
  pieces.push(...piece, text.slice(done));
  return pieces.join('');
}
