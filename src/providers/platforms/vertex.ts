import { ProviderFault } from '../../core/errors.js';
import type { CallContext, CallHeaders, Platform } from '../../core/platform.js';
import type { Target, UpstreamCall, UpstreamFailure } from '../../core/provider.js';
import { dialectOf, type DialectId } from '../../core/routing/catalog.js';
import type { RequestField } from '../../core/translation.js';
import { COUNT_PATH } from '../dialects/anthropic-messages/count.js';
import { AccessTokens } from './access-tokens.js';
import { CredentialReader, isCallers, refused } from './credential-members.js';
import { readGoogleCredential } from './google-credential.js';
import { GoogleTokens } from './google-tokens.js';
import { bearer, framesOf, revealSafe } from './direct.js';
import { adaptForVertex, leavesOut, takesBeta } from './vertex-bodies.js';
import type { PlatformDependencies } from './dependencies.js';

/** The global location, where Google chooses the region. */
const GLOBAL = 'global';

/** The address after the location: `publishers/google/models/gemini-3:generateContent`. By dialect. */
const ROUTES: Readonly<Partial<Record<DialectId, (call: UpstreamCall, model: string) => string>>> = {
  'google-gemini': ({ path }, model) => `publishers/google/models/${model}${verbOf(path)}`,
  'anthropic-messages': ({ path, stream }, model) =>
    path === COUNT_PATH
      ? 'publishers/anthropic/models/count-tokens:rawPredict'
      : `publishers/anthropic/models/${model}:${stream ? 'streamRawPredict' : 'rawPredict'}`,
  'openai-chat': () => 'endpoints/openapi/chat/completions',
};

/**
 * Google's cloud. The address names the model and the location. Calls carry a cached token, fetched with a service
 * account's key or by workload identity, or an API key (express mode, which has neither project nor location).
 */
export class VertexPlatform implements Platform {
  private readonly credentials = new CredentialReader(readGoogleCredential);
  private readonly tokens: AccessTokens;
  private readonly google: GoogleTokens;

  constructor({ transport, clock }: PlatformDependencies) {
    this.tokens = new AccessTokens(clock);
    this.google = new GoogleTokens(transport, clock);
  }

  adapt(call: UpstreamCall, target: Target): UpstreamCall {
    return adaptForVertex(call, target);
  }

  carries(parameter: RequestField, target: Target): boolean | undefined {
    return leavesOut(parameter, target) ? false : undefined;
  }

  carriesBeta(beta: string): boolean {
    return takesBeta(beta);
  }

  /**
   * Claude takes no addresses there (platform.claude.com/docs/en/build-with-claude/vision; the refusal:
   * anthropics/anthropic-sdk-typescript, issue 1038; read 2026-11-24).
   */
  fetchesMedia(dialect: DialectId): boolean {
    return dialect !== 'anthropic-messages';
  }

  /** Always false: Vertex serves embeddings as predictions, a format that no dialect has. */
  doesTasks(): boolean {
    return false;
  }

  address(context: CallContext, call: UpstreamCall): string {
    const { endpoint, definition } = context.target;
    const route = ROUTES[dialectOf(endpoint)];
    if (!route)
      throw new ProviderFault('rejected-request', 'The platform vertex has no address for calls of this dialect.');
    const behind = route(call, encodeURIComponent(endpoint.upstreamModel).replaceAll('%40', '@'));
    const { baseUrl } = endpoint.provider;
    if (definition.credential === 'none') return `${withRegion(baseUrl, GLOBAL)}/v1/${behind}`;
    const reading = this.credentials.read(context);
    if (reading.type === 'api-key') {
      if (baseUrl.includes('{project}') || !behind.startsWith('publishers/'))
        throw refused('is an API key, and calls of this kind need a project');
      return `${withRegion(baseUrl, GLOBAL)}/v1/${behind}`;
    }
    const region = reading.region ?? regionIn(baseUrl) ?? GLOBAL;
    const base = withRegion(baseUrl, region).replaceAll('{project}', encodeURIComponent(reading.projectId));
    return `${base}/v1/projects/${encodeURIComponent(reading.projectId)}/locations/${region}/${behind}`;
  }

  authorise(context: CallContext): CallHeaders | Promise<CallHeaders> {
    if (context.target.definition.credential === 'none') return {};
    const reading = this.credentials.read(context);
    if (reading.type === 'api-key') return { 'x-goog-api-key': revealSafe(context.credential) };
    const key = this.credentials.keyOf(context);
    const token = this.tokens.tokenFor(key, () => this.google.fetch(reading, isCallers(context)));
    return typeof token === 'string' ? bearer(token) : token.then(bearer);
  }

  frames(headers: UpstreamFailure['headers']): ReturnType<Platform['frames']> {
    return framesOf(headers);
  }

  /** A refused token is not used again. The dialect reads the fault. */
  fault({ status }: UpstreamFailure, context: CallContext): undefined {
    if (status === 401 && context.credential) this.tokens.forget(this.credentials.keyOf(context));
  }
}

/** The host of the global location has no region in its name. */
const withRegion = (baseUrl: string, region: string): string =>
  (region === GLOBAL ? baseUrl.replace('{region}-', '') : baseUrl).replaceAll('{region}', region);

/** The region of an address that already names one. */
const regionIn = (baseUrl: string): string | undefined =>
  /^https:\/\/([a-z0-9-]+)-aiplatform\.googleapis\.com/.exec(baseUrl)?.[1];

/** The verb in the dialect's own path: `:streamGenerateContent?alt=sse`. */
function verbOf(path: string): string {
  return path.slice(path.lastIndexOf(':'));
}
