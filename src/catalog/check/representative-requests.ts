import type { ContentBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { ProviderPreferences } from '../../core/routing/preferences.js';

/** A request that stands for all that ask for the same of an endpoint. */
export interface RepresentativeRequest {
  /** As reports name it. */
  readonly name: string;
  readonly parts?: Partial<ModelRequest>;
  /** Its prompt does not fit the smallest context of the model's endpoints. */
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

const said = (...content: readonly ContentBlock[]): Pick<ModelRequest, 'messages'> => ({
  messages: [{ role: 'user', content }],
});
const QUESTION: ContentBlock = { type: 'text', text: 'What is it?' };
const IMAGE: ContentBlock = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: '' } };
const PDF: ContentBlock = { type: 'document', source: { type: 'base64', mediaType: 'application/pdf', data: '' } };
const ANY_OBJECT = { type: 'object' };

const TOOLS: Pick<ModelRequest, 'tools'> = {
  tools: [{ type: 'function', name: 'look_up', inputSchema: ANY_OBJECT }],
};

/** What a caller may demand of who answers, one demand at a time (docs/wire/routing.md#provider-preferences). */
export const RESTRICTIONS: readonly { readonly name: string; readonly preferences: ProviderPreferences }[] = [
  { name: 'zdr', preferences: { zeroDataRetention: true } },
  { name: 'data_collection: deny', preferences: { dataCollection: 'deny' } },
  { name: 'quantizations: [fp8]', preferences: { quantizations: ['fp8'] } },
  { name: 'enforce_distillable_text', preferences: { enforceDistillableText: true } },
];

/** In the order in which reports name them; the first asks for nothing. */
export const REPRESENTATIVE_REQUESTS: readonly RepresentativeRequest[] = [
  { name: 'plain text', parts: said(QUESTION) },
  { name: 'tools with require_parameters', parts: { ...TOOLS, preferences: { requireParameters: true } } },
  { name: 'an image', parts: said(IMAGE, QUESTION) },
  { name: 'a PDF', parts: said(PDF, QUESTION) },
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
