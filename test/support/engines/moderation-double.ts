import type { RecordedRequest } from '../recorded-request.js';
import { json, type Answer, type Complaint, type Script } from '../upstream-answers.js';
import type { Rules } from '../upstreams.js';
import { bearerKey, KEY } from './engine-double.js';

// OpenAI's moderation endpoint on loopback, by the types of its package (`openai` 6, resources/moderations) and its
// guide (developers.openai.com/api/docs/guides/moderation, read 2026-11-25). One picture per call, according to a page
// of another gateway (abliteration.ai/llm-image-moderation, read 2026-11-25). Unknown fields are refused, which the
// vendor may not do.

export const MODERATION_MODEL = 'omni-moderation-latest';

export const VENDOR_CATEGORIES = [
  'harassment', 'harassment/threatening', 'hate', 'hate/threatening', 'illicit', 'illicit/violent', 'self-harm',
  'self-harm/instructions', 'self-harm/intent', 'sexual', 'sexual/minors', 'violence', 'violence/graphic',
] as const; // oxfmt-ignore
type VendorCategory = (typeof VENDOR_CATEGORIES)[number];

const refuse = (status: number, message: string): Complaint => ({
  status,
  body: {
    error: { message, type: 'invalid_request_error', param: null, code: status === 401 ? 'invalid_api_key' : null },
  },
});

export const moderationRules: Rules = ({ method, path, headers, json: body }) => {
  if (method !== 'POST' || path !== '/v1/moderations') return refuse(404, `Invalid URL (${method} ${path})`);
  if (bearerKey(headers) !== KEY) return refuse(401, 'Incorrect API key provided.');
  const unknown = Object.keys(body ?? {}).find((name) => name !== 'model' && name !== 'input');
  if (unknown !== undefined) return refuse(400, `Unrecognized request argument supplied: ${unknown}`);
  if (body?.model !== MODERATION_MODEL) return refuse(404, 'The model does not exist.');
  const { input } = body;
  if (!Array.isArray(input) || input.length === 0) return refuse(400, `'input' must be a list with an entry.`);
  if (input.every((entry) => typeof entry === 'string'))
    return input.some((entry) => entry === '') ? refuse(400, `'input' must not hold an empty text.`) : undefined;
  if (input.length > 1) return refuse(400, 'Too many images in request. Max is 1.');
  const url: unknown = input[0]?.type === 'image_url' ? input[0].image_url?.url : undefined;
  return typeof url === 'string' && /^(?:https?:\/\/|data:image\/[a-z]+;base64,)/.test(url)
    ? undefined
    : refuse(400, 'Invalid image.');
};

/** The judgement of one input. */
export interface ModeratedInput {
  readonly flagged?: readonly VendorCategory[];
  readonly scores?: Partial<Record<VendorCategory, number>>;
}

/** A result, in the vendor's form. */
export function moderationResult({ flagged = [], scores = {} }: ModeratedInput): object {
  const of = <T>(value: (category: VendorCategory) => T): object =>
    Object.fromEntries(VENDOR_CATEGORIES.map((category) => [category, value(category)]));
  return {
    flagged: flagged.length > 0,
    categories: of((category) => flagged.includes(category)),
    category_scores: of((category) => scores[category] ?? (flagged.includes(category) ? 0.98 : 0.0001)),
    category_applied_input_types: of(() => ['text']),
  };
}

/** Judges each input with a function: a text, or the address of a picture. */
export const moderates =
  (judge: (input: string) => ModeratedInput): Script =>
  ({ json: body }: RecordedRequest): Answer => {
    const inputs: readonly (string | { image_url: { url: string } })[] = body.input;
    const results = inputs.map((input) =>
      moderationResult(judge(typeof input === 'string' ? input : input.image_url.url)),
    );
    return json({ id: 'modr-1', model: MODERATION_MODEL, results });
  };
