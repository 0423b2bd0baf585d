import type { DialectId, PlatformId } from '../../../src/core/routing/catalog.js';
import type { WireDialect } from '../../support/doubles/double.js';
import type { WayOf } from '../../support/doubles/platforms.js';

// Where each dialect is served. A new dialect, platform or path to one does not compile without an entry.

/**
 * The models of the calls: for each dialect those that take most of it, and families that take less or in another form.
 */
export const FAMILIES = {
  'anthropic-messages': 'anthropic-messages',
  'bedrock-converse': 'bedrock-converse',
  'bedrock-converse of Nova': 'bedrock-converse',
  'bedrock-converse of Llama': 'bedrock-converse',
  'cohere-chat': 'cohere-chat',
  'google-gemini': 'google-gemini',
  'google-gemini 2.5': 'google-gemini',
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai-responses',
} as const satisfies Readonly<Record<WireDialect, WireDialect> & Record<string, WireDialect>>;
export type FamilyId = keyof typeof FAMILIES;

/** The counter behind `count_tokens`: the vendor, or only the gateway. */
export type Counting =
  | 'native'
  | {
      /** Why only the gateway counts. */
      readonly estimate: string;
      /** The vendor is called, and refuses. */
      readonly refused?: true;
    };

/** A model that answers there. */
export interface Served<P extends PlatformId = PlatformId> {
  /** Slug of the catalog's provider, which determines what the code knows of it. */
  readonly provider: string;
  /** The model's name there. */
  readonly model: string;
  readonly counts: Counting;
  /** How the platform is entered for it. */
  readonly ways: Readonly<Record<WayOf<P>, true | NotServed>>;
}

export interface NotServed {
  /** Why there is no such service. */
  readonly notServed: string;
}

type ServedByPlatform = { readonly [P in PlatformId]: Served<P> | NotServed };

const not = (what: string): NotServed => ({ notServed: what });
const IN_PROCESS = not('the sandbox is answered inside of the process');
const BEDROCKS = not('Converse is a format of Bedrock alone');
const GOOGLES = not('Google’s models are not served there in their own format');
const uncounted = (estimate: string): Counting => ({ estimate });
const COUNTS_CLAUDES: Counting = { estimate: 'the vendor counts Claude’s alone', refused: true };
const OPENAIS = uncounted('OpenAI’s formats have no count');

const KEY = { key: true } as const;
const BOTH = { signature: true, 'API key': true } as const;
const ACCOUNT = { 'service account': true } as const;
const V1_ALONE = {
  key: true,
  'API version': not('versions belong to deployments of chat completions'),
  Entra: true,
} as const;

const inBedrock = (model: string, counts: Counting): ServedByPlatform => ({
  direct: BEDROCKS,
  azure: BEDROCKS,
  bedrock: { provider: 'amazon-bedrock', model, counts, ways: BOTH },
  vertex: BEDROCKS,
});
const ofGoogle = (model: string): ServedByPlatform => ({
  direct: { provider: 'google-ai-studio', model, counts: 'native', ways: KEY },
  azure: GOOGLES,
  bedrock: GOOGLES,
  vertex: { provider: 'google-vertex', model, counts: 'native', ways: ACCOUNT },
});

export const PLACES: Readonly<Record<FamilyId | DialectId, ServedByPlatform>> = {
  'anthropic-messages': {
    direct: { provider: 'anthropic', model: 'claude-sonnet-4-5', counts: 'native', ways: KEY },
    azure: { provider: 'azure', model: 'claude-sonnet-4-5', counts: 'native', ways: V1_ALONE },
    bedrock: {
      provider: 'amazon-bedrock',
      model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      counts: uncounted('Bedrock has a count of its own, in another form'),
      ways: BOTH,
    },
    vertex: { provider: 'google-vertex', model: 'claude-sonnet-4-5@20250929', counts: 'native', ways: ACCOUNT },
  },
  'bedrock-converse': inBedrock('us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'native'),
  'bedrock-converse of Nova': inBedrock('us.amazon.nova-2-lite-v1:0', COUNTS_CLAUDES),
  'bedrock-converse of Llama': inBedrock('us.meta.llama4-maverick-17b-instruct-v1:0', COUNTS_CLAUDES),
  'cohere-chat': {
    direct: {
      provider: 'cohere',
      model: 'command-a-reasoning-08-2025',
      counts: uncounted('Cohere tokenizes texts, not conversations'),
      ways: KEY,
    },
    azure: not("Azure's address for it is not spoken"),
    bedrock: not('Bedrock serves its models in Converse'),
    vertex: not('Vertex does not serve its models'),
  },
  'google-gemini': ofGoogle('gemini-3-flash-preview'),
  'google-gemini 2.5': ofGoogle('gemini-2.5-flash'),
  'openai-chat': {
    direct: { provider: 'openai', model: 'gpt-5.1', counts: OPENAIS, ways: KEY },
    azure: {
      provider: 'azure',
      model: 'gpt-5.1',
      counts: OPENAIS,
      ways: { key: true, 'API version': true, Entra: true },
    },
    bedrock: { provider: 'amazon-bedrock', model: 'openai.gpt-oss-120b-1:0', counts: OPENAIS, ways: BOTH },
    vertex: {
      provider: 'google-vertex',
      model: 'meta/llama-4-maverick-17b-128e-instruct-maas',
      counts: OPENAIS,
      ways: ACCOUNT,
    },
  },
  'openai-responses': {
    direct: { provider: 'openai', model: 'gpt-5.1', counts: OPENAIS, ways: KEY },
    azure: { provider: 'azure', model: 'gpt-5.1', counts: OPENAIS, ways: V1_ALONE },
    bedrock: not("Bedrock's address for it is not spoken"),
    vertex: not('Vertex does not speak it'),
  },
  simulated: { direct: IN_PROCESS, azure: IN_PROCESS, bedrock: IN_PROCESS, vertex: IN_PROCESS },
};
