/** A chapter of the document. */
export interface Tag {
  readonly name: string;
  readonly description: string;
  /** First path segments of its routes. */
  readonly rooms: readonly string[];
}

/** In the order of the document. */
export const TAGS: readonly Tag[] = [
  { name: 'Messages', description: 'Asking models in the Messages format; counting tokens.', rooms: ['messages'] },
  { name: 'Chat completions', description: 'Asking models in the chat-completions format.', rooms: ['chat'] },
  { name: 'Responses', description: 'Asking models in the responses format, without storing.', rooms: ['responses'] },
  { name: 'Routing', description: 'Where a request would go, and why.', rooms: ['routing'] },
  {
    name: 'Models',
    description: 'Which models, endpoints and providers there are.',
    rooms: ['models', 'model', 'endpoints', 'providers'],
  },
  { name: 'Keys', description: 'Keys of this gateway, and what they may spend.', rooms: ['keys', 'key'] },
  { name: 'BYOK', description: 'Bring your own key: the account’s own credentials at providers.', rooms: ['byok'] },
  {
    name: 'Credits',
    description: 'Credits, generations and what was spent where.',
    rooms: ['credits', 'statements', 'generation', 'generations', 'activity', 'analytics'],
  },
  {
    name: 'Workspaces',
    description: 'Where keys, credentials and budgets belong; preferences of the account.',
    rooms: ['workspaces', 'organization', 'account'],
  },
  { name: 'Budgets', description: 'What users, members and tags may spend.', rooms: ['budgets'] },
  { name: 'Guardrails', description: 'Policies for keys, members and workspaces.', rooms: ['guardrails'] },
  {
    name: 'Alarms',
    description: 'Rules that report by themselves, and the destinations that events are sent to.',
    rooms: ['alarms', 'observability'],
  },
  { name: 'Audit log', description: 'Who changed what.', rooms: ['audit'] },
  {
    name: 'Health and metrics',
    description: 'How the gateway is, and this description. Open to all.',
    rooms: ['health', 'metrics', 'openapi.json', 'docs'],
  },
];

/** @throws Error for a path outside all chapters */
export function tagOf(path: string): Tag {
  const room = path.split('/')[1]!;
  const tag = TAGS.find(({ rooms }) => rooms.includes(room));
  if (!tag) throw new Error(`${path} is in no chapter of the document: add ${room} to TAGS.`);
  return tag;
}
