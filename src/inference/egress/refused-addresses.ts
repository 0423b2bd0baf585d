import { blockPath, type ContentBlock, type ToolReferenceBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { Egress } from '../../core/egress.js';
import type { GatewayError } from '../../core/errors.js';
import { isJsonObject, type Json } from '../../core/json/json.js';
import { StepCounter, type Steps } from '../../core/steps.js';
import { mayNotReach, reachesUnjudged } from './egress-errors.js';

const ADDRESS = /^https?:\/\//i;
const SERVERS = 'mcp_servers';

/**
 * Undeclared fields that cause a search or fetch and contain no readable address: fields for a search
 * (docs/use/choosing-providers.md#options-that-change-the-price), data sources, and fields that may contain either.
 */
const UNJUDGED: ReadonlySet<string> = new Set([
  'web_search_options', 'search_parameters', 'enable_search', 'data_sources', 'tool_resources', 'prompt', 'extra_body',
]); // oxfmt-ignore
const OFF: ReadonlySet<unknown> = new Set([undefined, null, false]);

/** Characters of an address that take as long to judge as a block without one. */
const ITEM_CHARACTERS = 32;
const lengthOf = (named: NamedAddress | undefined): number => named?.url.length ?? 0;

/** An address in a request that a provider or the gateway would fetch, and its path. */
interface NamedAddress {
  readonly path: string;
  readonly url: string;
}

/**
 * Why media or fields of a request may not be sent by a key with these rules, whatever would fetch them: the first
 * address that is refused, or a field that cannot be judged.
 */
export function* findRefusedAddress(request: ModelRequest, egress: Egress): Steps<GatewayError | undefined> {
  const counter = new StepCounter();
  for (const [field, value] of Object.entries(request.extras?.value ?? {})) {
    const refusal = yield* findRefusedField(field, value, egress, counter);
    if (refusal) return refusal;
  }
  const judged = new Set<string>();
  for (const [index, message] of request.messages.entries()) {
    for (const named of addressesIn(message.content, (blockIndex) => blockPath(message, index, blockIndex))) {
      if (counter.isOver(1 + lengthOf(named) / ITEM_CHARACTERS)) yield;
      if (named === undefined || judged.has(named.url)) continue;
      if (!egress.allows(named.url)) return mayNotReach(named.path, named.url);
      judged.add(named.url);
    }
    if (counter.isOver()) yield;
  }
  return undefined;
}

/** Vendors treat names of different case as different, but proxies before them may not. */
function* findRefusedField(
  field: string,
  value: Json | undefined,
  egress: Egress,
  counter: StepCounter,
): Steps<GatewayError | undefined> {
  if (counter.isOver()) yield;
  const name = field.trim().toLowerCase();
  if (OFF.has(value)) return undefined;
  if (UNJUDGED.has(name)) return reachesUnjudged(name);
  if (name !== SERVERS) return undefined;
  if (!Array.isArray(value)) return reachesUnjudged(name);
  for (const [index, server] of (value as readonly Json[]).entries()) {
    if (counter.isOver()) yield;
    const url = isJsonObject(server) ? server['url'] : undefined;
    const path = `${SERVERS}.${index}.url`;
    if (typeof url !== 'string') return reachesUnjudged(path);
    if (!egress.allows(url)) return mayNotReach(path, url);
  }
  return undefined;
}

/** Undefined: a block without an address. */
function* addressesIn(
  blocks: readonly (ContentBlock | ToolReferenceBlock)[],
  pathOf: (index: number) => string,
): Generator<NamedAddress | undefined, void> {
  for (const [index, block] of blocks.entries()) {
    switch (block.type) {
      case 'tool-result':
        yield* addressesIn(block.content, (inner) => `${pathOf(index)}.content.${inner}`);
        break;
      case 'image':
      case 'document':
      case 'video': {
        const { source } = block;
        if (source.type === 'blocks') {
          yield* addressesIn(source.blocks, (inner) => `${pathOf(index)}.source.content.${inner}`);
        } else if (source.type === 'url') yield { path: `${pathOf(index)}.source.url`, url: source.url };
        break;
      }
      case 'opaque':
        yield* sourcesIn(block.opaque.value, pathOf(index));
        break;
      default:
        yield undefined;
    }
  }
}

/** The sources by address in a block that only its vendor understands. */
function* sourcesIn(value: Json | undefined, path: string): Generator<NamedAddress | undefined, void> {
  yield undefined;
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly Json[]).entries()) yield* sourcesIn(item, `${path}.${index}`);
  } else if (isJsonObject(value)) {
    const { type, url } = value;
    if (type === 'url' && typeof url === 'string') yield { path: `${path}.url`, url };
    for (const [key, item] of Object.entries(value)) yield* sourcesIn(item, `${path}.${key}`);
  }
}

/** The first text in some parameters that is an address which may not be reached. */
export function* findRefusedParameter(
  value: Json | undefined,
  path: string,
  egress: Egress,
  counter = new StepCounter(),
): Steps<GatewayError | undefined> {
  if (counter.isOver()) yield;
  if (typeof value === 'string') {
    return ADDRESS.test(value.trim()) && !egress.allows(value) ? mayNotReach(path, value) : undefined;
  }
  const parts = Array.isArray(value) || isJsonObject(value) ? Object.entries(value as object) : [];
  for (const [key, part] of parts as [string, Json][]) {
    const refusal = yield* findRefusedParameter(part, `${path}.${key}`, egress, counter);
    if (refusal) return refusal;
  }
  return undefined;
}
