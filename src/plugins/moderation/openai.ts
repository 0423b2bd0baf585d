import type { MediaSource } from '../../core/conversation/content.js';
import { ExtensionFault, type ExtensionContext } from '../../core/extension.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { ModerationCategory } from './harm/categories.js';
import type { ToolEngine } from '../../core/routing/catalog.js';
import type { Flag, ModerationEngine } from './engine.js';
import { piecesOf } from './pieces.js';

/**
 * Time limit of one call, from the connection to the last byte. Chosen: the caller waits for it before the model is
 * called.
 */
const JUDGE_MS = 10_000;
const REPLY_BYTES_MAX = 1024 * 1024;
/** Characters of one text. Chosen: the vendor advises to split long texts. */
const PIECE_MAX = 4_000;
const PIECES_PER_CALL = 32;
/** Characters of all texts of a request: eight calls. */
const TOTAL_MAX = 1_000_000;
/** One picture for each call: the vendor accepts no more. */
const PICTURES_MAX = 8;
/** Characters of base64. Chosen below the vendor's 20 MB, because a body is printed in one step. */
const PICTURE_LENGTH_MAX = 8 * 1024 * 1024;

/**
 * Scores from which a category counts as a hit even where the vendor does not flag it
 * (docs/operate/moderation.md#thresholds).
 */
const THRESHOLDS: Readonly<Record<ModerationCategory, number>> = {
  harassment: 0.7,
  hate: 0.6,
  illicit: 0.6,
  'prompt-injection': 0.5,
  'self-harm': 0.5,
  sexual: 0.7,
  'sexual/minors': 0.2,
  violence: 0.7,
  other: 0.7,
};

/** The categories of `omni-moderation` and of earlier models, by their name here. */
const CATEGORIES: Readonly<Record<string, ModerationCategory>> = {
  harassment: 'harassment',
  'harassment/threatening': 'harassment',
  hate: 'hate',
  'hate/threatening': 'hate',
  illicit: 'illicit',
  'illicit/violent': 'illicit',
  'self-harm': 'self-harm',
  'self-harm/intent': 'self-harm',
  'self-harm/instructions': 'self-harm',
  sexual: 'sexual',
  'sexual/minors': 'sexual/minors',
  violence: 'violence',
  'violence/graphic': 'violence',
};

/**
 * OpenAI's moderation endpoint, or a compatible one (package `openai` 6, resources/moderations;
 * developers.openai.com/api/docs/guides/moderation, read 2026-11-25).
 */
export const openai = (service: ToolEngine, model: string): ModerationEngine => ({
  name: 'openai',
  picturesMax: PICTURES_MAX,
  price: service.price ?? 0n,
  judge: async ({ texts, pictures }, context) => {
    const pieces = piecesOf(texts, PIECE_MAX, TOTAL_MAX);
    for (let from = 0; from < pieces.length; from += PIECES_PER_CALL) {
      const input = pieces.slice(from, from + PIECES_PER_CALL);
      const flags = await judge(service, model, { input, words: input }, context);
      if (flags.length > 0) return flags;
    }
    for (const picture of pictures) {
      const input = [{ type: 'image_url', image_url: { url: addressOf(picture) } }];
      const flags = await judge(service, model, { input, words: [''] }, context);
      if (flags.length > 0) return flags;
    }
    return [];
  },
});

interface Judgement {
  readonly input: Json;
  /** The text of each expected result, for its flag. */
  readonly words: readonly string[];
}

/**
 * Only the first verdict of a generation is charged: the price of one is held for all.
 * @returns the flags of the first flagged result
 */
async function judge(
  engine: ToolEngine,
  model: string,
  { input, words }: Judgement,
  { engines, charge, signal }: ExtensionContext,
): Promise<readonly Flag[]> {
  const { baseUrl = '', credential, price = 0n } = engine;
  const reply = await engines.call(
    {
      engine,
      name: 'openai',
      method: 'POST',
      // The operator may give the base address with or without `/v1`.
      path: baseUrl.endsWith('/v1') ? '/moderations' : '/v1/moderations',
      headers: credential ? { authorization: `Bearer ${credential.reveal()}` } : {},
      body: { model, input },
      timeoutMs: JUDGE_MS,
      bytesMax: REPLY_BYTES_MAX,
      price,
    },
    signal,
  );
  const results = isJsonObject(reply) ? reply['results'] : undefined;
  if (!Array.isArray(results) || results.length !== words.length) throw noVerdict();
  const judged = results.map((result: Json, index) => flagsOf(result, words[index]!));
  charge(price);
  return judged.find((flags) => flags.length > 0) ?? [];
}

function flagsOf(result: Json, words: string): readonly Flag[] {
  if (!isJsonObject(result) || typeof result['flagged'] !== 'boolean') throw noVerdict();
  const { flagged, categories, category_scores: scores } = result;
  if (!isJsonObject(categories)) throw noVerdict();
  const hits = new Set<ModerationCategory>();
  for (const [name, isFlagged] of Object.entries(categories)) {
    const category = CATEGORIES[name] ?? 'other';
    if (isFlagged === true || scoreOf(scores, name) >= THRESHOLDS[category]) hits.add(category);
  }
  if (flagged && hits.size === 0) hits.add('other');
  return [...hits].map((category) => ({ category, words }));
}

function scoreOf(scores: JsonObject[string], name: string): number {
  const score = isJsonObject(scores) ? scores[name] : undefined;
  return typeof score === 'number' ? score : 0;
}

function addressOf(picture: MediaSource): string {
  if (picture.type === 'url') return picture.url;
  if (picture.data.length > PICTURE_LENGTH_MAX)
    throw new ExtensionFault('too-large', 'a picture is larger than the engine takes');
  return `data:${picture.mediaType};base64,${picture.data}`;
}

const noVerdict = (): ExtensionFault => new ExtensionFault('unavailable', 'The engine’s answer contains no verdict.');
