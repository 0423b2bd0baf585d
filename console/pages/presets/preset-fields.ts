import { call } from '../../api/client.js';
import type { CreateChatBody, CreateMessageBody, CreateResponseBody, DesignatedPreset } from '../../api/schema.js';
import { query } from '../../app/router.js';
import type { Field } from '../../parts/form-fields.js';

/** The API formats that a body can have. */
const FORMATS = {
  messages: 'messagesPresetsSave',
  chat: 'chatPresetsSave',
  responses: 'responsesPresetsSave',
} as const;
type Format = keyof typeof FORMATS;
type AnyBody = CreateMessageBody & CreateChatBody & CreateResponseBody;

/** The workspace that the address names. */
export const shownWorkspace = (): { readonly workspace_id?: string } => {
  const workspace = query.value.get('workspace_id');
  return workspace === null ? {} : { workspace_id: workspace };
};

export const BODY_FIELDS: readonly Field[] = [
  {
    name: 'format',
    label: 'Format of the body',
    kind: 'choice',
    options: [
      { value: 'messages', label: 'POST /messages' },
      { value: 'chat', label: 'POST /chat/completions' },
      { value: 'responses', label: 'POST /responses' },
    ],
  },
  {
    name: 'body',
    label: 'Body',
    kind: 'json',
    description: 'JSON, as a program would send it. The conversation in it is not saved.',
    placeholder: '{ "model": "sandbox/echo", "max_tokens": 64, "system": "You help {{who}}." }',
    isRequired: true,
  },
];

export const NEW_FIELDS: readonly Field[] = [
  {
    name: 'slug',
    label: 'Slug',
    kind: 'text',
    description: 'Requests use it: lowercase letters and digits with single hyphens.',
    placeholder: 'support',
    isRequired: true,
  },
  ...BODY_FIELDS,
];

export const CHANGEABLE_FIELDS: readonly Field[] = [
  { name: 'name', label: 'Name', kind: 'text', isRequired: true },
  { name: 'description', label: 'Description', kind: 'text' },
  {
    name: 'status',
    label: 'Status',
    kind: 'choice',
    description: 'Only an active preset can be used.',
    options: ['active', 'disabled', 'archived'].map((value) => ({ value, label: value })),
  },
  {
    name: 'designated_version',
    label: 'Version in use',
    kind: 'number',
    description: 'Its number, as the list of versions has it.',
    isRequired: true,
  },
];

/** Adds a version, and makes the preset where there is none. */
export async function save(slug: string, entered: Readonly<Record<string, unknown>>): Promise<DesignatedPreset> {
  // The body is sent unchanged: the API validates it.
  const { format, body } = entered as { readonly format?: Format; readonly body: AnyBody };
  const options = { path: { slug }, query: shownWorkspace(), body };
  return (await call(FORMATS[format ?? 'messages'], options)).data;
}
