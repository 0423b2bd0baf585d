import { isJsonObject, type JsonObject } from '../../core/json/json.js';
import { parseUrl } from '../../core/parse-url.js';
import type { Note } from '../remark.js';
import { DESCRIBING_KEYS } from './describe-endpoint.js';
import type { Upstream } from './find-upstream.js';
import type { Deployment } from './read-config.js';
import { isPriceKey } from './read-prices.js';

const NO_COUNTERPART = 'has no counterpart here';

/** Keys of `litellm_params` that are read. */
const READ_PARAMS: ReadonlySet<string> = new Set([
  'model', 'custom_llm_provider', 'api_base', 'base_url', 'api_key', 'api_version', 'aws_access_key_id',
  'aws_secret_access_key', 'aws_session_token', 'aws_region_name', 'aws_bedrock_runtime_endpoint', 'model_id',
  'tenant_id', 'client_id', 'client_secret', 'vertex_credentials', 'vertex_ai_credentials', 'vertex_location',
  'vertex_ai_location',
]); // oxfmt-ignore

const BALANCING = 'deployments of a model are drawn by price and health, not by weights: docs/use/routing.md';
const LIMITS = 'limits belong to keys (`rate_limits`) and models (`limits`, for each account), not to endpoints';
const TIMEOUTS = 'time-outs are settings of the gateway, and `timeouts` of an endpoint';
const DEFAULTS = 'callers set it in their requests';
const AWS_LOGIN = 'keys are given to the gateway: it takes none from roles, profiles or the machine';

const NO_VERSION =
  'is no version that the catalog takes, or is in a variable that is not set here: the address without one is called';

/** Why keys of a deployment are not carried over. */
const PARAM_REASONS: Readonly<Record<string, string>> = {
  rpm: LIMITS,
  tpm: LIMITS,
  max_parallel_requests: LIMITS,
  max_budget: 'budgets stand at keys, members and workspaces',
  budget_duration: 'budgets stand at keys, members and workspaces',
  weight: BALANCING,
  order: BALANCING,
  timeout: TIMEOUTS,
  stream_timeout: TIMEOUTS,
  max_retries: 'each endpoint of a plan is tried once',
  num_retries: 'each endpoint of a plan is tried once',
  temperature: DEFAULTS,
  top_p: DEFAULTS,
  max_tokens: DEFAULTS,
  seed: DEFAULTS,
  reasoning_effort: DEFAULTS,
  organization: 'use a key of that organisation',
  extra_headers: 'headers are sent by an allow-list',
  headers: 'headers are sent by an allow-list',
  drop_params: 'what an endpoint does not take is dropped by written rules, unless `require_parameters` is requested',
  additional_drop_params: '`omit` among the quirks of a provider does it',
  vertex_project: 'the credential names its project',
  vertex_ai_project: 'the credential names its project',
  azure_ad_token: 'tokens of Entra are fetched by the gateway: give it the application (docs/operate/platforms.md)',
  aws_role_name: AWS_LOGIN,
  aws_session_name: AWS_LOGIN,
  aws_profile_name: AWS_LOGIN,
  aws_web_identity_token: AWS_LOGIN,
  tags: 'callers name providers in `provider.only` and `provider.order`',
};

const INFO_REASONS: Readonly<Record<string, string>> = {
  access_groups: 'guardrails and `allowed_models` of keys define who may use which models',
  max_tokens: 'max_input_tokens and max_output_tokens are read',
};
/** Keys of `model_info` that do not affect the catalog. */
const SILENT_INFO =
  /^(?:id|db_model|mode|description|litellm_provider|supports_\w+|supported_\w+|created_\w+|updated_\w+)$/;

/** Notes what of a carried deployment was not carried over. */
export function noteDeployment({ location, params, info, rest }: Deployment, upstream: Upstream, note: Note): void {
  for (const key of Object.keys(params)) {
    if (READ_PARAMS.has(key) || isPriceKey(key)) continue;
    note('not-carried', `${location}.litellm_params.${key}`, PARAM_REASONS[key] ?? NO_COUNTERPART);
  }
  const address = ADDRESS_KEYS.find((key) => params[key] !== undefined && params[key] !== null);
  if (address !== undefined) noteAddress(`${location}.litellm_params.${address}`, params[address], upstream, note);
  if (upstream.losesVersion) note('not-carried', `${location}.litellm_params.api_version`, NO_VERSION);
  for (const key of Object.keys(info)) {
    if (DESCRIBING_KEYS.has(key) || isPriceKey(key) || SILENT_INFO.test(key)) continue;
    note('not-carried', `${location}.model_info.${key}`, INFO_REASONS[key] ?? NO_COUNTERPART);
  }
  for (const key of Object.keys(rest)) note('not-carried', `${location}.${key}`, PARAM_REASONS[key] ?? NO_COUNTERPART);
}

/** Keys of an address; the first that is present applies. */
const ADDRESS_KEYS = ['api_base', 'base_url', 'aws_bedrock_runtime_endpoint'] as const;

/** Warns of path segments that may be keys: a key cannot be distinguished from an account name. */
function noteAddress(location: string, address: unknown, { baseUrl }: Upstream, note: Note): void {
  if (typeof address === 'string' && address.includes('?'))
    note('not-carried', location, 'its query: an address has none here');
  const parts = parseUrl(baseUrl ?? '')?.pathname.split('/') ?? [];
  if (parts.some((part) => LIKE_A_KEY.test(part)))
    note('assumed', location, 'a part of its path looks like a key: it stands in the catalog as it is');
}

const LIKE_A_KEY = /^(?:sk|pk|key)[-_]\w|^(?=[^a-z]*[a-z])(?=\D*\d)[\w-]{20,}$/i;

const FALLBACKS = 'callers name further models in `models` of their requests';
const REDIS = 'REDIS_URL names what replicas share';
const OBSERVED = 'logs, metrics and traces are settings of the gateway (docs/operate/configuration.md)';
const RETRIES = 'cool-downs and attempts have rules of their own (docs/use/routing.md)';

/** Why settings are not carried over, by the last part of their path. */
const SETTING_REASONS: Readonly<Record<string, string>> = {
  fallbacks: FALLBACKS,
  default_fallbacks: FALLBACKS,
  context_window_fallbacks: FALLBACKS,
  content_policy_fallbacks: FALLBACKS,
  routing_strategy: BALANCING,
  routing_strategy_args: BALANCING,
  num_retries: RETRIES,
  allowed_fails: RETRIES,
  cooldown_time: RETRIES,
  retry_policy: RETRIES,
  timeout: TIMEOUTS,
  request_timeout: TIMEOUTS,
  redis_host: REDIS,
  redis_port: REDIS,
  redis_password: REDIS,
  redis_url: REDIS,
  cache: 'replies are not cached; vendors cache prompts',
  cache_params: 'replies are not cached; vendors cache prompts',
  master_key: 'FAIRLEAD_MANAGEMENT_KEY and FAIRLEAD_API_KEY are the first keys, and are no keys of LiteLLM',
  database_url: 'its keys, teams and spend are not read; DATABASE_URL names a database of Fairlead’s own',
  callbacks: OBSERVED,
  success_callback: OBSERVED,
  failure_callback: OBSERVED,
  service_callbacks: OBSERVED,
  alerting: OBSERVED,
  json_logs: OBSERVED,
  set_verbose: OBSERVED,
  drop_params: PARAM_REASONS['drop_params']!,
  max_budget: PARAM_REASONS['max_budget']!,
  budget_duration: PARAM_REASONS['budget_duration']!,
  guardrails: 'guardrails are made by POST /api/v1/guardrails (docs/operate/guardrails.md)',
  include: 'files it includes are imported one by one',
  mcp_servers: NO_COUNTERPART,
};

/** Notes the settings beside `model_list`; those of a section one by one. */
export function noteSettings(settings: JsonObject, note: Note): void {
  for (const [section, value] of Object.entries(settings)) {
    if (section === 'environment_variables') {
      note('not-carried', section, 'variables are set where the gateway runs');
      continue;
    }
    const keys = isJsonObject(value) ? Object.keys(value) : [];
    if (!isJsonObject(value)) note('not-carried', section, SETTING_REASONS[section] ?? NO_COUNTERPART);
    for (const key of keys.filter((name) => name !== 'model_group_alias'))
      note('not-carried', `${section}.${key}`, SETTING_REASONS[key] ?? NO_COUNTERPART);
  }
}
