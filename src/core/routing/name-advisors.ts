import type { ModelRequest } from '../conversation/request.js';
import type { Tool, VendorTool } from '../conversation/tools.js';
import { GatewayError } from '../errors.js';
import type { Json } from '../json/json.js';
import type { CatalogSnapshot, Model } from './catalog.js';
import type { StoredCredential } from './credential.js';
import { forbiddenClause, forbiddenError, MODEL_SHOWN_CHARACTERS_MAX } from './no-route-error.js';
import { modelId } from './resolve-model.js';
import type { RouteInputs } from './route-inputs.js';
import { forbids, readRules, type Rules } from './rules.js';

/** Tools by which the vendor consults another model during a call. */
const ADVISOR = /^advisor_\d{8}$/;

/**
 * Replaces the model of each advisor tool by its entry in the catalog, so that policies, prices and holds apply to it
 * and the provider's own name is sent. Returns the same request where it has no such tool.
 * @throws GatewayError `invalid-request` naming the field for a model the catalog does not have, `forbidden` for one
 * that a policy does not allow
 */
export function nameAdvisors(
  request: ModelRequest,
  { catalog, needs, policies }: Pick<RouteInputs, 'catalog' | 'needs' | 'policies'>,
): ModelRequest {
  if (!request.tools.some(isAdvisor)) return request;
  const rules = readRules(needs.preferences, policies);
  const tools = request.tools.map((tool, index) =>
    isAdvisor(tool) ? { ...tool, advisor: findModel(nameIn(tool), `tools.${index}.model`, catalog, rules) } : tool,
  );
  return { ...request, tools };
}

/**
 * Removes the caller's credentials that are not allowed for a model the request consults: the call pays for that model
 * as well. An advisor that the catalog does not have is not reported here.
 */
export function forAdvisors(
  credentials: readonly StoredCredential[],
  { tools }: ModelRequest,
  catalog: CatalogSnapshot,
): readonly StoredCredential[] {
  if (credentials.length === 0 || !tools.some(isAdvisor)) return credentials;
  const advisors = tools.filter(isAdvisor).map((tool) => modelNamed(nameIn(tool), catalog)?.id);
  return credentials.filter(({ allowedModels }) =>
    advisors.every((id) => id === undefined || !allowedModels || allowedModels.includes(id)),
  );
}

function isAdvisor(tool: Tool): tool is VendorTool {
  if (tool.type !== 'vendor') return false;
  const { type } = tool.opaque.value;
  return typeof type === 'string' && ADVISOR.test(type);
}

/**
 * Finds the models that a request consults, by any of their names.
 * @returns a finder that throws as `nameAdvisors` does
 */
export function consultedModels({
  catalog,
  needs,
  policies,
}: Pick<RouteInputs, 'catalog' | 'needs' | 'policies'>): (name: Json | undefined, path: string) => Model {
  const rules = readRules(needs.preferences, policies);
  return (name, path) => findModel(name, path, catalog, rules);
}

function findModel(name: Json | undefined, path: string, catalog: CatalogSnapshot, rules: Rules): Model {
  const model = modelNamed(name, catalog);
  if (!model) {
    const shown = JSON.stringify(name ?? null).slice(0, MODEL_SHOWN_CHARACTERS_MAX);
    throw new GatewayError(
      'invalid-request',
      `${path}: ${shown} is not in the catalog, so its calls have no price; name a model of /models`,
    );
  }
  const reason = forbids(rules, model.id);
  if (reason) throw forbiddenError(reason, `${path}: ${forbiddenClause(reason, [model.id])}`, [model.id]);
  return model;
}

const nameIn = ({ opaque }: VendorTool): Json | undefined => opaque.value['model'];

/** The model by any of its names. */
function modelNamed(name: Json | undefined, catalog: CatalogSnapshot): Model | undefined {
  const id = typeof name === 'string' ? modelId(catalog, name) : undefined;
  return id === undefined ? undefined : catalog.models.get(id);
}
