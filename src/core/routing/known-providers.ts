// WIRE 1.17: the slugs of its three lists, each once. A catalog may have others.
const SLUGS = `
  ai21 aion-labs akashml alibaba amazon-bedrock amazon-nova ambient anthropic arcee-ai assemblyai atlas-cloud avian
  azure baidu baseten black-forest-labs byteplus cerebras chutes cirrascale clarifai claude-on-aws cloudflare cohere
  coreweave cosine crusoe darkbloom databricks decart deepgram deepinfra deepseek dekallm digitalocean featherless
  fireworks fish-audio friendli gmicloud google-ai-studio google-vertex groq heygen inception inceptron inferact-vllm
  inference-net infermatic inflection io-net ionstream krea liquid makora mancer mara meta minimax mistral modal
  modelrun modular moonshotai morph ncompass near-ai nebius nex-agi nextbit novita nvidia ollama open-inference openai
  parasail perceptron perplexity phala poolside primeintellect quiver recraft reka relace runway sail-research sakana
  sakana-ai sambanova seed siliconflow sourceful stepfun streamlake switchpoint tencent tenstorrent thinkingmachines
  together typesafe unbiased upstage venice voyageai wafer wandb wandb-legacy xai xiaomi z-ai
`;

// WIRE 1.14: display names whose letters are not those of the slug. `Z.AI` and `Arcee AI` need no line.
const SLUG_OF_NAME: readonly (readonly [name: string, slug: string])[] = [
  ['Google', 'google-vertex'],
  ['Mancer 2', 'mancer'],
  ['Claude Platform on AWS', 'claude-on-aws'],
  ['VoyageAI by MongoDB', 'voyageai'],
];

// WIRE 1.14: display names that no slug belongs to.
const NAMES_WITHOUT_SLUG = ['Crucible', 'Stealth', 'FakeProvider'];

/**
 * A provider's name or slug in the one form in which two ways of writing it are equal: lower case, without spaces,
 * dots, hyphens and underscores. `Z.AI`, `z-ai` and `zai` are one provider.
 */
export function foldName(name: string): string {
  let folded = '';
  for (let index = 0; index < name.length; index++) {
    const code = foldedCode(name.charCodeAt(index));
    if (code !== SEPARATOR) folded += String.fromCharCode(code);
  }
  return folded;
}

/** Whether `foldName(name)` is this, without making it: plans ask it of every endpoint. */
export function foldsTo(name: string, folded: string): boolean {
  let matched = 0;
  for (let index = 0; index < name.length; index++) {
    const code = foldedCode(name.charCodeAt(index));
    if (code === SEPARATOR) continue;
    if (code !== folded.charCodeAt(matched)) return false;
    matched++;
  }
  return matched === folded.length && matched > 0;
}

const SEPARATOR = -1;
const SEPARATORS = new Set([' ', '-', '.', '_'].map((separator) => separator.charCodeAt(0)));
const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;
const TO_LOWER_CASE = 0x20;

function foldedCode(code: number): number {
  if (code >= CAPITAL_A && code <= CAPITAL_Z) return code + TO_LOWER_CASE;
  return SEPARATORS.has(code) ? SEPARATOR : code;
}

const FOLDED_SLUG_OF_NAME = new Map(SLUG_OF_NAME.map(([name, slug]) => [foldName(name), foldName(slug)]));
const KNOWN = new Set([...SLUGS.trim().split(/\s+/), ...NAMES_WITHOUT_SLUG].map(foldName));

/** The folded slug a folded display name stands for, where its letters are others. */
export const findSlugOfName = (folded: string): string | undefined => FOLDED_SLUG_OF_NAME.get(folded);

/** Whether the folded name or slug is on a list of WIRE 1.14 or 1.17. */
export const isKnownName = (folded: string): boolean => KNOWN.has(folded) || FOLDED_SLUG_OF_NAME.has(folded);
