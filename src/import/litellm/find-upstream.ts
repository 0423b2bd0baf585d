import type { JsonObject } from '../../core/json/json.js';
import { SERVED_DIALECTS, type CatalogProvider, type DialectId } from '../../core/routing/catalog.js';
import { baseUrlOf } from './addresses.js';
import { PREFIXES, splitModel, type Prefix } from './prefixes.js';
import type { ConfigValues } from './config-values.js';
import { textOf } from '../text-of.js';
import { deploymentKey, type DeploymentKey } from './deployment-key.js';

/** The provider, address and model that a deployment calls. */
export interface Upstream {
  /** The provider of the shipped catalog that it is, or whose format it speaks; undefined where there is none. */
  readonly like: CatalogProvider | undefined;
  /** Base name for a separate provider entry. */
  readonly family: string;
  /** Base URL, if it differs from the shipped provider's. */
  readonly baseUrl?: string;
  /** Whether the address is a server that computes answers itself, not a proxy. */
  readonly isServer?: boolean;
  /** Whether the server is at the default address of its family. */
  readonly isUsualAddress?: boolean;
  /** Distinguishes its entry from others of the family, where the address does not. */
  readonly label?: string;
  readonly apiVersion?: string;
  /** The catalog cannot represent its version, or the version is in a variable that is not set. */
  readonly losesVersion?: boolean;
  /** Dialect of the deployment, if it differs from the provider's. */
  readonly dialect?: DialectId;
  /** The model's name there. */
  readonly model: string;
  readonly key: DeploymentKey;
  /** The variable that LiteLLM reads the key from by default. */
  readonly usualVariable?: string;
}

/** The upstream, or the missing part of the deployment. */
export type UpstreamReading = { readonly upstream: Upstream } | { readonly fault: string };

/** The parameters of a deployment, and what they are read with. */
interface UpstreamInputs {
  readonly params: JsonObject;
  /** Providers of the shipped catalog. */
  readonly shipped: ReadonlyMap<string, CatalogProvider>;
  readonly values: ConfigValues;
}

/** Versions of Azure's API in the catalog's form. */
const API_VERSION = /^(?:\d{4}-\d{2}-\d{2}(?:-preview)?|preview|latest|v1)$/;
const RESPONSES = 'responses/';
/** Hints to LiteLLM before a model's name, which are not part of it. */
const AZURE_HINT = /^(?:o_series|gpt5_series)\//;
const BEDROCK_HINT = /^(?:converse|invoke|converse_like)\//;
const AWS_REGION = /^[a-z]{2,4}(?:-[a-z]+)+-\d$/;

export function findUpstream(reading: UpstreamInputs): UpstreamReading {
  const { params } = reading;
  const { prefix: name, model } = splitModel(textOf(params['model']) ?? '', textOf(params['custom_llm_provider']));
  const prefix = name === undefined ? undefined : PREFIXES.get(name);
  if (model === '') return { fault: 'names no model' };
  if (!prefix)
    return {
      fault: name === undefined ? 'does not identify the provider of its model' : `names an unknown provider "${name}"`,
    };
  const address = readAddress(reading, prefix);
  if (address && 'fault' in address) return address;
  const upstream =
    'server' in prefix
      ? ofServer(prefix, model, address)
      : ofShipped({ ...prefix, name: name! }, model, address, reading);
  return 'fault' in upstream ? upstream : { upstream: { ...upstream, key: deploymentKey(params) } };
}

type Address = { readonly baseUrl: string } | { readonly fault: string } | undefined;
type Keyless = Omit<Upstream, 'key'>;

function readAddress({ params, values }: UpstreamInputs, prefix: Prefix): Address {
  const value = params['api_base'] ?? params['base_url'] ?? params['aws_bedrock_runtime_endpoint'];
  const read = values.read(value);
  if (read && 'unset' in read)
    return { fault: `its address is in the variable ${read.unset}: set it and import again` };
  const text = read?.text ?? ('server' in prefix ? prefix.address : undefined);
  if (text === undefined) return undefined;
  const baseUrl = baseUrlOf(text, 'server' in prefix && prefix.isVersioned === true);
  return baseUrl === undefined
    ? { fault: 'its api_base is no http or https address without credentials' }
    : { baseUrl };
}

function ofServer(
  { server, address: usual, passesOn }: Extract<Prefix, { server: string }>,
  model: string,
  address: { readonly baseUrl: string } | undefined,
): Keyless | { fault: string } {
  if (!address) return { fault: 'its api_base is missing, and no other address is known' };
  const { baseUrl } = address;
  return { like: undefined, family: server, baseUrl, isUsualAddress: baseUrl === usual, isServer: !passesOn, model };
}

function ofShipped(
  prefix: Extract<Prefix, { slug: string }> & { readonly name: string },
  model: string,
  address: { readonly baseUrl: string } | undefined,
  reading: UpstreamInputs,
): Keyless | { fault: string } {
  const like = reading.shipped.get(prefix.slug);
  if (!like) return { fault: `the shipped catalog has no provider "${prefix.slug}"` };
  const isElsewhere = address !== undefined && address.baseUrl !== like.baseUrl;
  // LiteLLM uses OpenAI's prefix for every server of its format: nothing else of OpenAI's applies there.
  if (isElsewhere && prefix.slug === 'openai') return ofServer({ server: 'server' }, model, address);
  const plain = {
    like,
    family: prefix.slug,
    ...(isElsewhere && { baseUrl: address.baseUrl }),
    ...(prefix.variable !== undefined && { usualVariable: prefix.variable }),
  };
  switch (like.platform) {
    case 'azure':
      return atAzure(plain, prefix.name, model, reading);
    case 'bedrock':
      return atBedrock(plain, model, reading);
    case 'vertex':
      return atVertex(plain, model, reading);
    default:
      return model.startsWith(RESPONSES)
        ? { ...plain, model: model.slice(RESPONSES.length), dialect: 'openai-responses' }
        : { ...plain, model };
  }
}

type Plain = Omit<Keyless, 'model' | 'like'> & { readonly like: CatalogProvider };

function atAzure(
  plain: Plain,
  name: string,
  model: string,
  { params, values }: UpstreamInputs,
): Keyless | { fault: string } {
  if (plain.baseUrl === undefined)
    return { fault: 'its api_base is missing: the address of an Azure resource is its own' };
  if (name === 'azure_ai' && model.startsWith('claude')) return { ...plain, model, dialect: 'anthropic-messages' };
  if (model.startsWith(RESPONSES))
    return { ...plain, model: model.slice(RESPONSES.length), dialect: 'openai-responses' };
  const version = values.read(params['api_version']);
  const apiVersion = version && 'text' in version && API_VERSION.test(version.text) ? version.text : undefined;
  return {
    ...plain,
    ...(apiVersion !== undefined && { apiVersion }),
    losesVersion: version !== undefined && apiVersion === undefined,
    model: model.replace(AZURE_HINT, ''),
  };
}

function atBedrock(plain: Plain, model: string, { params, values }: UpstreamInputs): Keyless | { fault: string } {
  let name = model.replace(BEDROCK_HINT, '');
  const region = values.read(params['aws_region_name']);
  let regionName = region && 'text' in region ? region.text : undefined;
  const [first = '', ...rest] = name.split('/');
  if (rest.length > 0 && AWS_REGION.test(first)) [regionName, name] = [first, rest.join('/')];
  if (regionName !== undefined && !AWS_REGION.test(regionName)) return { fault: 'its aws_region_name is no region' };
  const profile = textOf(params['model_id']);
  return {
    ...plain,
    ...(plain.baseUrl === undefined &&
      regionName !== undefined && { baseUrl: plain.like.baseUrl.replace('{region}', regionName), label: regionName }),
    model: profile ?? name,
    ...(/(?:^|\.)anthropic\./.test(name) && { dialect: 'anthropic-messages' as const }),
  };
}

function atVertex(plain: Plain, model: string, { params, values }: UpstreamInputs): Keyless | { fault: string } {
  const location = values.read(params['vertex_location'] ?? params['vertex_ai_location']);
  const locationName = location && 'text' in location ? location.text : undefined;
  if (locationName !== undefined && !/^[a-z0-9-]+$/.test(locationName))
    return { fault: 'its vertex_location is no place' };
  const dialect = vertexDialect(model);
  if (!dialect || !SERVED_DIALECTS.vertex.includes(dialect))
    return { fault: 'nothing here calls such models on Vertex' };
  return {
    ...plain,
    ...(plain.baseUrl === undefined &&
      locationName !== undefined && {
        baseUrl: plain.like.baseUrl.replace(
          locationName === 'global' ? '{region}-' : '{region}',
          locationName === 'global' ? '' : locationName,
        ),
        label: locationName,
      }),
    model,
    ...(dialect !== plain.like.dialect && { dialect }),
  };
}

/** Models of other makers that are served in the chat format have the maker in their name there. */
function vertexDialect(model: string): DialectId | undefined {
  if (model.startsWith('gemini')) return 'google-gemini';
  if (model.startsWith('claude')) return 'anthropic-messages';
  return /^(?:meta|deepseek-ai|qwen|openai|moonshotai|zai-org)\/[^/]*[a-z]/.test(model) ? 'openai-chat' : undefined;
}
