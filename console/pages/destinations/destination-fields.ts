import type { Destination } from '../../api/schema.js';
import type { Field } from '../../parts/form-fields.js';

export type Type = Destination['type'];

/** The types, as a reader knows them. */
export const TYPES: Readonly<Record<Type, string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  'otel-collector': 'OpenTelemetry collector',
};

export const isType = (word: string | undefined): word is Type => word !== undefined && Object.hasOwn(TYPES, word);

/** Address of a destination, without secrets. */
export function addressOf({ config }: Pick<Destination, 'config'>): string {
  const address = config['url'] ?? config['endpoint'];
  return typeof address === 'string' ? address : '';
}

/** The secret of a webhook, masked unless it was made now; undefined: there is none. */
export function secretOf({ type, config: { secret } }: Destination): string | undefined {
  return type === 'webhook' && typeof secret === 'string' ? secret : undefined;
}

const NAME: Field = { name: 'name', label: 'Name', kind: 'text', placeholder: 'On call', isRequired: true };

const HEADERS: Field = {
  name: 'config.headers',
  label: 'Headers',
  kind: 'pairs',
  description: 'name=value, one a line. Values are shown masked; a masked one that stays is not changed.',
  absent: {},
};

/** Fields of `config`, by type of destination. */
const CONFIG: Readonly<Record<Type, readonly Field[]>> = {
  webhook: [
    { name: 'config.url', label: 'Address', kind: 'text', placeholder: 'https://alarms.example.com/fairlead', isRequired: true },
    {
      name: 'config.method',
      label: 'Method',
      kind: 'choice',
      options: ['POST', 'PUT'].map((value) => ({ value, label: value })),
    },
    HEADERS,
  ],
  slack: [
    {
      name: 'config.url',
      label: 'Address of the incoming webhook',
      kind: 'text',
      description: 'Its path is a secret, and shown masked.',
      placeholder: 'https://hooks.slack.com/services/…',
      isRequired: true,
    },
  ],
  'otel-collector': [
    { name: 'config.endpoint', label: 'Endpoint', kind: 'text', placeholder: 'http://collector:4318', isRequired: true },
    HEADERS,
  ],
}; // oxfmt-ignore

/** Fields that select the generations that a destination receives, and their contents. */
const BROADCAST: readonly Field[] = [
  { name: 'broadcast', label: 'Send generations', kind: 'toggle', description: 'Those of its workspace, without contents.' },
  { name: 'sampling_rate', label: 'Share of them', kind: 'number', description: 'From 0.0001 to 1, which is all.' },
  { name: 'api_key_hashes', label: 'Only of these keys', kind: 'lines', description: 'Ids of keys, one a line. Empty: all.' },
  { name: 'privacy_mode', label: 'Without users and traces', kind: 'toggle' },
  { name: 'broadcast_generation_cost', label: 'With costs', kind: 'toggle' },
  { name: 'broadcast_generation_identity', label: 'With keys, members, users and workspace', kind: 'toggle' },
  { name: 'broadcast_generation_request_context', label: 'With session, trace and request id', kind: 'toggle' },
  { name: 'filter_rules', label: 'Rules', kind: 'json', description: 'As JSON: {"groups": [{"rules": [{"field", "operator", "value"}]}]}.' },
]; // oxfmt-ignore

/** Fields of the form that changes a destination of this type. */
export const changeableFields = (type: Type): readonly Field[] => [
  NAME,
  { name: 'enabled', label: 'In use', kind: 'toggle' },
  ...CONFIG[type],
  ...(type === 'slack' ? [] : BROADCAST),
];

/** Fields of the form of a new destination. */
export const newFields = (type: Type): readonly Field[] => [
  NAME,
  ...CONFIG[type],
  {
    name: 'workspace_id',
    label: 'Workspace',
    kind: 'text',
    description: 'Whose generations it gets: id or slug.',
    placeholder: 'default',
  },
  ...(type === 'slack' ? [] : BROADCAST.slice(0, 3)),
];

/** A destination as its form shows it. */
export const formOf = (destination: Destination): object => ({
  ...destination,
  config: { method: 'POST', ...destination.config },
});
