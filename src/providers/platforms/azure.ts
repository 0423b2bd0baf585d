import { ProviderFault } from '../../core/errors.js';
import type { CallContext, CallHeaders, GuardedAddress, Platform } from '../../core/platform.js';
import type { UpstreamCall, UpstreamFailure } from '../../core/provider.js';
import { dialectOf, type DialectId, type Endpoint } from '../../core/routing/catalog.js';
import type { Clock } from '../../core/time.js';
import type { Transport } from '../transport/transport.js';
import { pathSegment } from '../../core/text/path-segment.js';
import { AccessTokens, type AccessToken } from './access-tokens.js';
import {
  readAzureCredential,
  type AzureApplication,
  type AzureDeployment,
  type AzureResource,
  type ResourceType,
} from './azure-credential.js';
import { CredentialReader, isCallers, refused } from './credential-members.js';
import { bearer, framesOf, headerSafe, revealSafe } from './direct.js';
import type { PlatformDependencies } from './dependencies.js';
import { askTokenService, form, readOauthToken } from './token-service.js';
import { namedAddress, VENDOR_HOSTS } from './vendor-hosts.js';

const SCOPE = 'https://cognitiveservices.azure.com/.default';
const LOGIN = 'https://login.microsoftonline.com';

/** The host of each kind of resource. */
const HOSTS: Readonly<Record<ResourceType, string>> = {
  openai: '{resource}.openai.azure.com',
  ai_foundry: '{resource}.services.ai.azure.com',
};

/** The path after the resource's address, by dialect. */
const PATHS: Readonly<Partial<Record<DialectId, (call: UpstreamCall) => string>>> = {
  'openai-chat': ({ path }) => `/openai/v1${path}`,
  'openai-responses': () => '/openai/v1/responses',
  // The path also carries the count of tokens.
  'anthropic-messages': ({ path }) => `/anthropic${path}`,
};

/** Dialects that only resources of Foundry serve. */
const FOUNDRY_ALONE: ReadonlySet<DialectId> = new Set(['anthropic-messages']);

/** The part of a credential that one call uses. */
type Access = { readonly type: 'key' } | AzureApplication | AzureResource | AzureDeployment;

/**
 * Azure: a resource's own address, with the deployment in the path where a version of the API is set. Calls carry a key
 * or a token of Entra. A caller's credential names the caller's own resource.
 */
export class AzurePlatform implements Platform {
  private readonly credentials = new CredentialReader(readAzureCredential);
  private readonly tokens: AccessTokens;
  private readonly transport: Transport;
  private readonly clock: Clock;

  constructor({ transport, clock }: PlatformDependencies) {
    this.tokens = new AccessTokens(clock);
    this.transport = transport;
    this.clock = clock;
  }

  modelOf(context: CallContext): string | undefined {
    if (context.target.definition.credential === 'none') return undefined;
    const access = this.accessOf(context);
    return access.type === 'deployment' ? access.modelId : undefined;
  }

  address(context: CallContext, call: UpstreamCall): string | GuardedAddress {
    const { endpoint, definition } = context.target;
    const access: Access = definition.credential === 'none' ? { type: 'key' } : this.accessOf(context);
    if (access.type === 'deployment') return deploymentAddress(access, context, call);
    return (
      baseOf(endpoint.provider.baseUrl, access, isCallers(context)) + pathOf(endpoint, endpoint.upstreamModel, call)
    );
  }

  authorise(context: CallContext): CallHeaders | Promise<CallHeaders> {
    if (context.target.definition.credential === 'none') return {};
    const access = this.accessOf(context);
    switch (access.type) {
      case 'key':
        return { 'api-key': revealSafe(context.credential) };
      case 'resource':
      case 'deployment':
        return { 'api-key': headerSafe(access.apiKey) };
      case 'application': {
        const token = this.tokens.tokenFor(this.credentials.keyOf(context), () =>
          this.fetchToken(access, isCallers(context)),
        );
        return typeof token === 'string' ? bearer(token) : token.then(bearer);
      }
    }
  }

  frames(headers: UpstreamFailure['headers']): ReturnType<Platform['frames']> {
    return framesOf(headers);
  }

  /** A refused token is not used again. The dialect reads the fault. */
  fault({ status }: UpstreamFailure, context: CallContext): undefined {
    if (status === 401 && context.credential) this.tokens.forget(this.credentials.keyOf(context));
  }

  private accessOf(context: CallContext): Access {
    const reading = this.credentials.read(context);
    if (reading.type !== 'list') return reading;
    const { model, endpoint } = context.target;
    const isFoundryAlone = FOUNDRY_ALONE.has(dialectOf(endpoint));
    const found =
      reading.entries.find((entry) => entry.type === 'deployment' && entry.model === model.id) ??
      reading.entries.find(
        (entry) => entry.type === 'resource' && (!isFoundryAlone || entry.resourceType === 'ai_foundry'),
      );
    return found ?? raise(refused(`has no entry for the model ${model.id}`));
  }

  private async fetchToken(application: AzureApplication, callers: boolean): Promise<AccessToken> {
    const { tenantId, clientId, clientSecret, tokenUrl } = application;
    const requestedAtMs = this.clock.now();
    const url = tokenUrl ?? `${LOGIN}/${tenantId}/oauth2/v2.0/token`;
    const answer = await askTokenService(this.transport, {
      address: namedAddress(url, callers, VENDOR_HOSTS.azure, 'token_url'),
      ...form({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
        scope: SCOPE,
      }),
    });
    return readOauthToken(answer, requestedAtMs);
  }
}

function raise(fault: ProviderFault): never {
  throw fault;
}

/**
 * The catalog's address with the resource in it. If the address is one of the vendor's, its host is that of the
 * resource's kind. An address without a placeholder is the operator's own resource, for which no caller's key is valid.
 */
function baseOf(baseUrl: string, access: Exclude<Access, AzureDeployment>, callers: boolean): string {
  const name = access.type === 'key' ? undefined : access.name;
  if (!baseUrl.includes('{resource}')) {
    if (!callers || name === undefined || access.type === 'key') return baseUrl;
    return `https://${HOSTS[access.resourceType].replace('{resource}', name)}`;
  }
  if (name === undefined || access.type === 'key') throw refused('names no resource');
  const isVendors = Object.values(HOSTS).some((host) => baseUrl === `https://${host}`);
  return (isVendors ? `https://${HOSTS[access.resourceType]}` : baseUrl).replaceAll('{resource}', name);
}

/** @param name the model's name at the resource */
function pathOf(endpoint: Endpoint, name: string, call: UpstreamCall): string {
  const dialect = dialectOf(endpoint);
  const { apiVersion } = endpoint.provider;
  if (dialect === 'openai-chat' && apiVersion !== undefined) {
    return `/openai/deployments/${pathSegment(name)}${call.path}?api-version=${encodeURIComponent(apiVersion)}`;
  }
  const path = PATHS[dialect];
  if (!path)
    throw new ProviderFault('rejected-request', 'The platform azure has no address for calls of this dialect.');
  return path(call);
}

/**
 * The address of the call. The credential's address may be complete, or only its beginning, such as a deployment or a
 * bare host.
 */
function deploymentAddress(
  { endpointUrl, modelId }: AzureDeployment,
  context: CallContext,
  call: UpstreamCall,
): string | GuardedAddress {
  const { endpoint } = context.target;
  const named = namedAddress(endpointUrl, isCallers(context), VENDOR_HOSTS.azure, 'endpoint_url');
  const url = new URL(typeof named === 'string' ? named : named.url);
  const front = withoutEndingSlashes(url.pathname);
  if (front === '') {
    const behind = new URL(pathOf(endpoint, modelId, call), url);
    url.pathname = behind.pathname;
    if (behind.search !== '') url.search = behind.search;
  } else url.pathname = joined(front, call.path);
  return typeof named === 'string' ? url.href : { ...named, url: url.href };
}

/** Appends a path to one that may already contain its beginning: `/anthropic/v1` and `/v1/messages`. */
function joined(front: string, path: string): string {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (front.endsWith(path.slice(0, end))) return front + path.slice(end);
  }
  return front + path;
}

/** A loop, because a pattern anchored at the end is tried at every slash, which takes quadratic time. */
function withoutEndingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}
