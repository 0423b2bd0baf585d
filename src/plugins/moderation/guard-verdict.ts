import { isJsonObject, parseJson, type Json, type JsonObject } from '../../core/json/json.js';
import { MODERATION_CATEGORIES, type ModerationCategory } from '../../core/moderation/categories.js';

/** Hazards of Llama Guard, by their codes (llama.com/docs/model-cards-and-prompt-formats/llama-guard-3, 2026-11-25). */
const CODES: Readonly<Record<string, ModerationCategory>> = {
  S1: 'violence',
  S2: 'illicit',
  S3: 'sexual',
  S4: 'sexual/minors',
  S5: 'harassment',
  S9: 'illicit',
  S10: 'hate',
  S11: 'self-harm',
  S12: 'sexual',
  S14: 'illicit',
};
const CODE = /\bS\d{1,2}\b/g;

/** Words of categories as guard models name them, the more exact ones first. */
const NAMES: readonly (readonly [RegExp, ModerationCategory])[] = [
  [/minor|child|csam/i, 'sexual/minors'],
  [/sex|nud|porn/i, 'sexual'],
  [/self.?harm|suicid/i, 'self-harm'],
  [/injection|jailbreak/i, 'prompt-injection'],
  [/hate|discriminat/i, 'hate'],
  [/harass|bully|defam|insult|threat/i, 'harassment'],
  [/illicit|illegal|non.?violent|crim|fraud|drug|weapon|malware|controlled/i, 'illicit'],
  [/violen|terror|graphic/i, 'violence'],
];

/** Longer answers are no verdicts. */
const LENGTH_MAX = 20_000;
const THOUGHTS = /<think>[^]*?<\/think>/gi;
const FENCE = /```(?:json)?/gi;
const LABEL = /^["'*\s]*(safe|unsafe)\b["'*.!\s]*$/i;
/** Of models that say more: `Safety: Unsafe`, `User Safety: safe`. */
const NAMED_LABEL =
  /^\W*(?:(?:user|response|prompt)\s+)?(?:safety|verdict|label)\W*[:=]\W*(safe|unsafe|controversial)\b/i;

/** Members of a JSON verdict that say whether something is wrong, and those that say that nothing is. */
const WRONG_KEYS = ['flagged', 'unsafe', 'violation', 'harmful'] as const;
const LABEL_KEYS = ['verdict', 'label', 'safety', 'result', 'User Safety', 'Response Safety'] as const;
const CATEGORY_KEYS = [
  'categories',
  'category',
  'violated_categories',
  'violations',
  'policy_category',
  'Safety Categories',
] as const;

/**
 * What a guard model says, in whichever of the usual forms: `safe`, or `unsafe` and what it finds behind it; or JSON.
 * @returns the categories, `other` for one that is not known here; empty: it is safe; undefined: this is no verdict, or
 *   two that contradict
 */
export function readVerdict(answer: string): readonly ModerationCategory[] | undefined {
  if (answer.length > LENGTH_MAX) return undefined;
  const said = answer.replaceAll(THOUGHTS, '').replaceAll(FENCE, '').trim();
  const value = jsonIn(said);
  if (value) return readJsonVerdict(value);
  const lines = said.split('\n').map((line) => line.trim());
  const labels = lines.flatMap((line) => (LABEL.exec(line) ?? NAMED_LABEL.exec(line))?.[1]?.toLowerCase() ?? []);
  if (labels.length === 0) return undefined;
  const isSafe = labels.every((label) => label === 'safe');
  // A model that is sure says one thing; of several questions (user, response) any may be unsafe.
  if (!isSafe && labels.includes('safe') && lines.some((line) => LABEL.test(line))) return undefined;
  return isSafe ? [] : categoriesIn(lines.filter((line) => !LABEL.test(line)).join('\n'));
}

function jsonIn(said: string): JsonObject | undefined {
  const from = said.indexOf('{');
  const to = said.lastIndexOf('}');
  if (from === -1 || to < from) return undefined;
  try {
    const value = parseJson(said.slice(from, to + 1)) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readJsonVerdict(value: JsonObject): readonly ModerationCategory[] | undefined {
  const says: boolean[] = [];
  for (const key of WRONG_KEYS) {
    const wrong = value[key];
    if (typeof wrong === 'boolean' || wrong === 0 || wrong === 1) says.push(Boolean(wrong));
  }
  if (typeof value['safe'] === 'boolean') says.push(!value['safe']);
  for (const key of LABEL_KEYS) {
    const label = value[key];
    if (typeof label !== 'string') continue;
    if (/^safe$/i.test(label.trim())) says.push(false);
    else if (/^(?:unsafe|controversial)$/i.test(label.trim())) says.push(true);
  }
  if (says.length === 0) return undefined;
  // Of a question and its answer either may be wrong, which these two members say apart.
  const isWrong = says.includes(true);
  if (isWrong && says.includes(false) && value['User Safety'] === undefined) return undefined;
  return isWrong ? categoriesIn(CATEGORY_KEYS.map((key) => namesIn(value[key])).join('\n')) : [];
}

/** A list of names, an object of those that are true, or a text. */
function namesIn(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.filter((name) => typeof name === 'string').join('\n');
  if (!isJsonObject(value)) return '';
  return Object.entries(value)
    .flatMap(([name, says]) => (says === true ? name : []))
    .join('\n');
}

function categoriesIn(text: string): readonly ModerationCategory[] {
  const found = new Set<ModerationCategory>();
  for (const [code] of text.matchAll(CODE)) found.add(CODES[code] ?? 'other');
  for (const part of text.replaceAll(CODE, '').split(/[\n,;]+/)) {
    const name = part.replace(/^[^:]*:/, '').trim();
    const own = MODERATION_CATEGORIES.find((category) => category === name.toLowerCase());
    const known = own ?? NAMES.find(([words]) => words.test(name))?.[1];
    if (known) found.add(known);
  }
  return found.size === 0 ? ['other'] : [...found];
}
