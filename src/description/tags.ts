/** Readers of a chapter. */
export type Reader = 'Callers' | 'Administrators' | 'Operators';

/** A chapter of the document. */
export interface Tag {
  readonly name: string;
  readonly description: string;
  readonly reader: Reader;
  /** First path segments of its routes. */
  readonly segments: readonly string[];
}

/** Tags in the order of the document. */
export const TAGS: readonly Tag[] = [
  {
    name: 'Messages',
    reader: 'Callers',
    description: 'Requests in the Messages format; counting tokens.',
    segments: ['messages'],
  },
  {
    name: 'Chat completions',
    reader: 'Callers',
    description: 'Requests in the chat-completions format.',
    segments: ['chat'],
  },
  {
    name: 'Responses',
    reader: 'Callers',
    description: 'Requests in the Responses format; nothing is stored.',
    segments: ['responses'],
  },
  {
    name: 'Embeddings',
    reader: 'Callers',
    description: 'Vectors of inputs, and the ranking of documents by a query.',
    segments: ['embeddings', 'rerank'],
  },
  {
    name: 'Routing',
    reader: 'Callers',
    description: 'The endpoints that a request would be sent to, and the reasons.',
    segments: ['routing'],
  },
  {
    name: 'Models',
    reader: 'Callers',
    description: 'The models, endpoints and providers of the catalog.',
    segments: ['models', 'model', 'endpoints', 'providers', 'catalog'],
  },
  {
    name: 'Keys',
    reader: 'Administrators',
    description: 'Keys of this gateway, and their limits.',
    segments: ['keys', 'key'],
  },
  {
    name: 'BYOK',
    reader: 'Administrators',
    description: 'Bring your own key: the account’s own credentials at providers.',
    segments: ['byok'],
  },
  {
    name: 'Credits',
    reader: 'Administrators',
    description: 'Credits, generations and figures of spending.',
    segments: ['credits', 'statements', 'generation', 'generations', 'activity', 'analytics'],
  },
  {
    name: 'Workspaces',
    reader: 'Administrators',
    description: 'Divisions of the account with their own keys, credentials and budgets; preferences of the account.',
    segments: ['workspaces', 'organization', 'account'],
  },
  {
    name: 'Budgets',
    reader: 'Administrators',
    description: 'What users, members and tags may spend.',
    segments: ['budgets'],
  },
  {
    name: 'Presets',
    reader: 'Administrators',
    description: 'Settings of inference under a name.',
    segments: ['presets'],
  },
  {
    name: 'Guardrails',
    reader: 'Administrators',
    description: 'Policies for keys, members and workspaces.',
    segments: ['guardrails'],
  },
  {
    name: 'Alarms',
    reader: 'Administrators',
    description: 'Rules that watch figures and report, and the destinations that events are sent to.',
    segments: ['alarms', 'observability'],
  },
  { name: 'Audit log', reader: 'Administrators', description: 'Changes, with who made them.', segments: ['audit'] },
  {
    name: 'Health and metrics',
    reader: 'Operators',
    description: 'The state of the gateway, and this description. No key is needed.',
    segments: ['health', 'metrics', 'openapi.json', 'docs'],
  },
];

/** @throws Error for a path outside all chapters */
export function tagOf(path: string): Tag {
  const segment = path.split('/')[1]!;
  const tag = TAGS.find(({ segments }) => segments.includes(segment));
  if (!tag) throw new Error(`${path} is in no chapter of the document: add ${segment} to TAGS.`);
  return tag;
}
