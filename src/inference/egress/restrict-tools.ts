import { typeOf, type RequestedServiceTool, type Tool, type VendorTool } from '../../core/conversation/tools.js';
import type { DomainRules } from '../../core/domains.js';
import type { Egress } from '../../core/egress.js';
import type { GatewayError } from '../../core/errors.js';
import type { Json, JsonObject } from '../../core/json/json.js';
import type { Steps } from '../../core/steps.js';
import { shortened } from '../../core/shortened.js';
import { kindOf } from '../../core/tool.js';
import { reachesNothing, reachesUnjudged } from './egress-errors.js';
import { findRefusedParameter } from './refused-addresses.js';

const WEB_SEARCH = 'openrouter:web_search';
/** Vendors' tools of these kinds accept domain rules. */
const WEB_KINDS: ReadonlySet<unknown> = new Set(['web_search', 'web_fetch']);
/**
 * Vendors' tools that reach no address by themselves: the caller runs them, or the vendor does so without a network.
 * The servers of `mcp_toolset` are listed in `mcp_servers`.
 */
const LEADS_NOWHERE =
  /^(?:bash|text_editor|computer|memory|code_execution|tool_search_tool_(?:regex|bm25)|advisor|mcp_toolset)(?:_\d{8})?$/;

/** Limit for the requested domains of one tool, because each is compared with each of the rules. Chosen. */
const REQUESTED_MAX = 400;

/**
 * The tools of a request with the egress rules of its key: those that search or fetch are bound to the rules.
 * @returns the first refusal instead, for a tool that cannot be bound
 */
export function* restrictTools(tools: readonly Tool[], egress: Egress): Steps<readonly Tool[] | GatewayError> {
  const bound: Tool[] = [];
  for (const [index, tool] of tools.entries()) {
    const judged = tool.type === 'function' ? tool : yield* restrictTool(tool, tool.path ?? `tools.${index}`, egress);
    if (judged instanceof Error) return judged;
    bound.push(judged);
  }
  return bound;
}

function* restrictTool(
  tool: VendorTool | RequestedServiceTool,
  path: string,
  egress: Egress,
): Steps<Tool | GatewayError> {
  // Lists of domains take long.
  yield;
  if (tool.type === 'service') {
    const { id, parameters, byPlugin, path: ownPath = path, parametersPath = `${ownPath}.parameters` } = tool;
    if (id === WEB_SEARCH) return withRules(tool, parameters, byPlugin?.path ?? ownPath, egress);
    // Pages that the gateway fetches are judged one by one.
    return (yield* findRefusedParameter(parameters, parametersPath, egress)) ?? tool;
  }
  const type = typeOf(tool);
  if (WEB_KINDS.has(kindOf(type))) return withRules(tool, tool.opaque.value, path, egress);
  return LEADS_NOWHERE.test(type) ? tool : reachesUnjudged(path, `the tool ${shortened(type)}`);
}

function withRules<Restricted extends VendorTool | RequestedServiceTool>(
  tool: Restricted,
  settings: JsonObject,
  path: string,
  egress: Egress,
): Restricted | GatewayError {
  const requested = rulesOf(settings);
  if (lengthOf(requested) > REQUESTED_MAX) return reachesUnjudged(path, `more than ${REQUESTED_MAX} domains`);
  const bound = egress.joinedWith(requested);
  return bound.allowedDomains?.length === 0 ? reachesNothing(path) : { ...tool, bound };
}

/** The rules in the fields of a request; an empty list counts as absent. */
function rulesOf({ allowed_domains, excluded_domains, blocked_domains }: JsonObject): DomainRules {
  const allowedDomains = texts(allowed_domains);
  const blockedDomains = [...texts(excluded_domains), ...texts(blocked_domains)];
  return { ...(allowedDomains.length > 0 && { allowedDomains }), blockedDomains };
}

const lengthOf = ({ allowedDomains = [], blockedDomains = [] }: DomainRules): number =>
  allowedDomains.length + blockedDomains.length;

const texts = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
