import { isJsonObject, parseJson, type Json, type JsonObject } from '../../core/json/json.js';
import { MODERATION_CATEGORIES, type ModerationCategory } from './harm/categories.js';

/** Hazard codes of Llama Guard (llama.com/docs/model-cards-and-prompt-formats/llama-guard-3, 2026-11-25). */
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

/** Category names of guard models, the more specific ones first. */
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

/** A longer answer is no verdict. */
const LENGTH_MAX = 20_000;
const THOUGHTS = /<think>[^]*?<\/think>/gi;
const FENCE = /```(?:json)?/gi;
const LABEL = /^["'*\s]*(safe|unsafe)\b["'*.!\s]*$/i;
/** Labels of the more verbose models: `Safety: Unsafe`, `User Safety: safe`. */
const NAMED_LABEL =
  /^\W*(?:(?:user|response|prompt)\s+)?(?:safety|verdict|label)\W*[:=]\W*(safe|unsafe|controversial)\b/i;

/** Members of a JSON verdict: `WRONG_KEYS` are true where something is wrong, `LABEL_KEYS` hold a label. */
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
 * Reads the answer of a guard model in any of the usual forms: `safe`, or `unsafe` followed by its findings; or JSON.
 * @returns the categories, `other` for an unknown one; empty where it is safe; undefined where the answer is no verdict
 * or contradicts itself
 */
export function readVerdict(answer: string): readonly ModerationCategory[] | undefined {
  if (answer.length > LENGTH_MAX) return undefined;
  const bare = answer.replaceAll(THOUGHTS, '').replaceAll(FENCE, '').trim();
  const value = jsonIn(bare);
  if (value) return readJsonVerdict(value);
  const lines = bare.split('\n').map((line) => line.trim());
  const labels = lines.flatMap((line) => (LABEL.exec(line) ?? NAMED_LABEL.exec(line))?.[1]?.toLowerCase() ?? []);
  if (labels.length === 0) return undefined;
  const isSafe = labels.every((label) => label === 'safe');
  // Two labels are a contradiction unless they are named: of named ones (user, response) any may be unsafe.
  if (!isSafe && labels.includes('safe') && lines.some((line) => LABEL.test(line))) return undefined;
  return isSafe ? [] : categoriesIn(lines.filter((line) => !LABEL.test(line)).join('\n'));
}

function jsonIn(bare: string): JsonObject | undefined {
  const from = bare.indexOf('{');
  const to = bare.lastIndexOf('}');
  if (from === -1 || to < from) return undefined;
  try {
    const value = parseJson(bare.slice(from, to + 1)) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readJsonVerdict(value: JsonObject): readonly ModerationCategory[] | undefined {
  const verdicts: boolean[] = [];
  for (const key of WRONG_KEYS) {
    const wrong = value[key];
    if (typeof wrong === 'boolean' || wrong === 0 || wrong === 1) verdicts.push(Boolean(wrong));
  }
  if (typeof value['safe'] === 'boolean') verdicts.push(!value['safe']);
  for (const key of LABEL_KEYS) {
    const label = value[key];
    if (typeof label !== 'string') continue;
    if (/^safe$/i.test(label.trim())) verdicts.push(false);
    else if (/^(?:unsafe|controversial)$/i.test(label.trim())) verdicts.push(true);
  }
  if (verdicts.length === 0) return undefined;
  // These two members judge the question and its answer separately, so they may differ.
  const isWrong = verdicts.includes(true);
  if (isWrong && verdicts.includes(false) && value['User Safety'] === undefined) return undefined;
  return isWrong ? categoriesIn(CATEGORY_KEYS.map((key) => namesIn(value[key])).join('\n')) : [];
}

/** A list of names, an object whose true members are the names, or a text. */
function namesIn(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.filter((name) => typeof name === 'string').join('\n');
  if (!isJsonObject(value)) return '';
  return Object.entries(value)
    .flatMap(([name, isHit]) => (isHit === true ? name : []))
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
