import type { ContentBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { ProviderPreferences } from '../../core/routing/preferences.js';

/** A request that represents all requests with the same needs. */
export interface RepresentativeRequest {
  /** The name in reports. */
  readonly name: string;
  readonly parts?: Partial<ModelRequest>;
  /** Whether the prompt exceeds the smallest context of the model's endpoints. */
  readonly isLong?: true;
}

const EMPTY: Omit<ModelRequest, 'model'> = {
  system: [],
  messages: [],
  stream: false,
  sampling: {},
  tools: [],
  preferences: {},
  plugins: [],
  betas: [],
};

const containing = (...content: readonly ContentBlock[]): Pick<ModelRequest, 'messages'> => ({
  messages: [{ role: 'user', content }],
});
const QUESTION: ContentBlock = { type: 'text', text: 'What is it?' };
const IMAGE: ContentBlock = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: '' } };
const PDF: ContentBlock = { type: 'document', source: { type: 'base64', mediaType: 'application/pdf', data: '' } };
const ANY_OBJECT = { type: 'object' };

const TOOLS: Pick<ModelRequest, 'tools'> = {
  tools: [{ type: 'function', name: 'look_up', inputSchema: ANY_OBJECT }],
};

/**
 * Restrictions of the providers that a caller may set, one at a time
 * (docs/use/choosing-providers.md#provider-preferences).
 */
export const RESTRICTIONS: readonly { readonly name: string; readonly preferences: ProviderPreferences }[] = [
  { name: 'zdr', preferences: { zeroDataRetention: true } },
  { name: 'data_collection: deny', preferences: { dataCollection: 'deny' } },
  { name: 'quantizations: [fp8]', preferences: { quantizations: ['fp8'] } },
  { name: 'enforce_distillable_text', preferences: { enforceDistillableText: true } },
];

/** Requests in the order of the reports; the first has no special needs. */
export const REPRESENTATIVE_REQUESTS: readonly RepresentativeRequest[] = [
  { name: 'plain text', parts: containing(QUESTION) },
  { name: 'tools with require_parameters', parts: { ...TOOLS, preferences: { requireParameters: true } } },
  { name: 'an image', parts: containing(IMAGE, QUESTION) },
  { name: 'a PDF', parts: containing(PDF, QUESTION) },
  { name: 'a prompt past the smallest context', isLong: true },
  { name: 'structured output', parts: { outputFormat: { type: 'json-schema', schema: ANY_OBJECT } } },
  ...RESTRICTIONS.map(({ name, preferences }) => ({ name, parts: { preferences } })),
  { name: 'sort: price', parts: { preferences: { sort: 'price' } } },
];

export const requestTo = (model: string, parts: Partial<ModelRequest> = {}): ModelRequest => ({
  ...EMPTY,
  ...parts,
  model,
});
