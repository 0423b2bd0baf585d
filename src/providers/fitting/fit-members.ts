import type { ContentBlock, Message, Origin, ToolReferenceBlock } from '../../core/conversation/content.js';
import type { ModelRequest, UndeclaredMember } from '../../core/conversation/request.js';
import type { Tool } from '../../core/conversation/tools.js';
import { isJsonObject, type Json, type JsonObject, type Opaque, type Vendor } from '../../core/json/json.js';
import type { Target } from '../../core/provider.js';
import type { PlatformId } from '../../core/routing/catalog.js';

const VENDOR: Vendor = 'anthropic';
const NONE: readonly never[] = [];

/**
 * What each platform of Anthropic's models does with members that no face declares, of blocks, tools and options alike.
 * The vendor's own address judges members that it may have learnt since. The clouds refuse the whole request ("Extra
 * inputs are not permitted"): anthropics/claude-code, issue 32820 (Bedrock); langchain-ai/langchain-google, pull
 * request 1446 (Vertex); what Azure knows follows the vendor later (platform.claude.com/docs/en/build-with-claude,
 * claude-in-microsoft-foundry). Read 2026-11-29.
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

/** Of those names the ones that a request with `require_parameters` is not sent without. */
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

/** What was read from a wire object. */
type Item = { readonly origin?: Origin } | Tool | ContentBlock | ToolReferenceBlock;

const eachWithout = <One extends Item>(items: readonly One[], gone: readonly UndeclaredMember[]): readonly One[] =>
  gone.length === 0 ? items : items.map((item) => itemWithout(item, gone));

function turnWithout(message: Message, gone: readonly UndeclaredMember[]): Message {
  return gone.length === 0 ? message : { ...message, content: eachWithout(message.content, gone) };
}

/** The same item where none of the members is in its wire object, nor in those of its parts. */
function itemWithout<One extends Item>(item: One, gone: readonly UndeclaredMember[]): One {
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

function opaqueWithout<One extends Opaque>(opaque: One, gone: readonly UndeclaredMember[]): One {
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
    return kept.every((entry, place) => entry === entries[place]) ? entries : kept;
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
