import type { ContentBlock, Message, Origin, ToolReferenceBlock } from '../../core/conversation/content.js';
import type { ModelRequest, UndeclaredMember } from '../../core/conversation/request.js';
import type { Tool } from '../../core/conversation/tools.js';
import { isJsonObject, type Json, type JsonObject, type Opaque, type Vendor } from '../../core/json/json.js';
import type { Target } from '../../core/provider.js';
import type { PlatformId } from '../../core/routing/catalog.js';

const VENDOR: Vendor = 'anthropic';
const NONE: readonly never[] = [];

/**
 * Whether a platform of Anthropic's models is sent members of blocks, tools and options that no face declares. The
 * vendor's own address is: it may know newer members. The clouds refuse the whole request for one ("Extra inputs are
 * not permitted"). Sources, read 2026-11-29: anthropics/claude-code, issue 32820 (Bedrock);
 * langchain-ai/langchain-google, pull request 1446 (Vertex); platform.claude.com/docs/en/build-with-claude,
 * claude-in-microsoft-foundry (Azure, which gets new members later than the vendor).
 */
const TAKES_ANY: Readonly<Record<PlatformId, boolean>> = { direct: true, azure: false, vertex: false, bedrock: false };

/**
 * Members that every platform takes, with their betas (`anthropic-messages/betas.ts`):
 * docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-block-binding.html and
 * platform.claude.com/docs/en/build-with-claude/preserved-thinking, read 2026-11-29.
 */
const TAKEN: ReadonlySet<string> = new Set(['thinking.block_binding']);

/** Fields whose wire objects the dialect of the vendor prints. */
const PRINTED: ReadonlySet<string> = new Set([
  'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'context_management',
]); // oxfmt-ignore

const nameOf = ({ path }: UndeclaredMember): string => path.join('.');

function isTaken(member: UndeclaredMember, { endpoint }: Target): boolean {
  if (!PRINTED.has(member.path[0]!)) return false;
  return TAKES_ANY[endpoint.provider.platform ?? 'direct'] || TAKEN.has(nameOf(member));
}

/**
 * The names of the members that the target is not sent: `messages.content.foo`, `thinking.foo`.
 * @param vendor whose values the target's dialect prints
 */
export function droppedMembers({ undeclared }: ModelRequest, target: Target, vendor: Vendor): readonly string[] {
  if (undeclared === undefined) return NONE;
  const isPrinted = vendor === VENDOR && undeclared.vendor === VENDOR;
  const dropped = undeclared.members.filter((member) => member.isSet && !(isPrinted && isTaken(member, target)));
  return [...new Set(dropped.map(nameOf))];
}

/** Fields that request something of a model by members of their own. */
const REQUESTING: ReadonlySet<string> = new Set([
  'tools', 'tool_choice', 'thinking', 'output_config', 'context_management', 'response_format', 'reasoning',
]); // oxfmt-ignore

/** Names of the dropped members without which a request with `require_parameters` is not sent. */
export const unmetMembers = (request: ModelRequest, target: Target, vendor: Vendor): readonly string[] =>
  droppedMembers(request, target, vendor).filter((name) => REQUESTING.has(name.slice(0, name.indexOf('.'))));

/** The request without the members that the target does not take; for dialects that print the vendor's wire objects. */
export function withTakenMembers(request: ModelRequest, target: Target): ModelRequest {
  const { undeclared, ...rest } = request;
  if (undeclared?.vendor !== VENDOR) return rest;
  const members = undeclared.members.filter((member) => isTaken(member, target));
  const gone = undeclared.members.filter((member) => !members.includes(member));
  const kept = members.length === 0 ? rest : { ...rest, undeclared: { vendor: VENDOR, members } };
  return gone.length === 0 ? kept : withoutMembers(kept, gone);
}

function withoutMembers(request: ModelRequest, gone: readonly UndeclaredMember[]): ModelRequest {
  const { system, messages, tools, toolChoice, thinking, outputOrigin, contextManagement } = request;
  const of = (field: string): readonly UndeclaredMember[] => beneath(gone, field);
  return {
    ...request,
    system: eachWithout(system, of('system')),
    messages: eachWithout(messages, of('messages')).map((message) =>
      turnWithout(message, beneath(of('messages'), 'content')),
    ),
    tools: eachWithout(tools, of('tools')),
    ...(toolChoice && { toolChoice: itemWithout(toolChoice, of('tool_choice')) }),
    ...(thinking && { thinking: itemWithout(thinking, of('thinking')) }),
    ...(outputOrigin && { outputOrigin: opaqueWithout(outputOrigin, of('output_config')) }),
    ...(contextManagement && { contextManagement: opaqueWithout(contextManagement, of('context_management')) }),
  };
}

/** The members within a field, by what remains of their paths. */
const beneath = (members: readonly UndeclaredMember[], field: string): readonly UndeclaredMember[] =>
  members
    .filter(({ path }) => path.length > 1 && path[0] === field)
    .map(({ path, ...rest }) => ({ ...rest, path: path.slice(1) }));

/** A value that was read from a wire object. */
type Item = { readonly origin?: Origin } | Tool | ContentBlock | ToolReferenceBlock;

const eachWithout = <Whole extends Item>(
  items: readonly Whole[],
  gone: readonly UndeclaredMember[],
): readonly Whole[] => (gone.length === 0 ? items : items.map((item) => itemWithout(item, gone)));

function turnWithout(message: Message, gone: readonly UndeclaredMember[]): Message {
  return gone.length === 0 ? message : { ...message, content: eachWithout(message.content, gone) };
}

/** Removes the members; returns the item itself if neither its wire object nor those of its parts have any. */
function itemWithout<Whole extends Item>(item: Whole, gone: readonly UndeclaredMember[]): Whole {
  if (gone.length === 0) return item;
  const origin = 'origin' in item && item.origin ? opaqueWithout(item.origin, gone) : undefined;
  const opaque = 'opaque' in item ? opaqueWithout(item.opaque, gone) : undefined;
  const content = 'content' in item && 'type' in item ? partsWithout(item.content, gone) : undefined;
  return { ...item, ...(origin && { origin }), ...(opaque && { opaque }), ...(content && { content }) };
}

/** Parts of results go out by themselves where a result is rewritten. */
const partsWithout = (
  parts: readonly (ContentBlock | ToolReferenceBlock)[],
  gone: readonly UndeclaredMember[],
): readonly (ContentBlock | ToolReferenceBlock)[] => eachWithout(parts, beneath(gone, 'content'));

function opaqueWithout<Whole extends Opaque>(opaque: Whole, gone: readonly UndeclaredMember[]): Whole {
  if (opaque.vendor !== VENDOR) return opaque;
  const value = gone.reduce((rest, { path, of }) => without(rest, path, of) as JsonObject, opaque.value);
  return value === opaque.value ? opaque : { ...opaque, value };
}

/**
 * A value without the member at a path, in each entry of the lists on the way; the same value where it has none.
 * @param of the type of the object that contains the member
 */
function without(value: Json, path: readonly string[], of: string | undefined): Json {
  if (Array.isArray(value)) {
    const entries = value as readonly Json[];
    const kept = entries.map((entry) => without(entry, path, of));
    return kept.every((entry, index) => entry === entries[index]) ? entries : kept;
  }
  if (!isJsonObject(value)) return value;
  const [name, ...rest] = path;
  const member = Object.hasOwn(value, name!) ? value[name!] : undefined;
  if (member === undefined) return value;
  if (rest.length > 0) {
    const kept = without(member, rest, of);
    return kept === member ? value : { ...value, [name!]: kept };
  }
  const { type } = value;
  if ((typeof type === 'string' ? type : undefined) !== of) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}
