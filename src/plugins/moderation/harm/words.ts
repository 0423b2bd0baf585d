/** One word of a text as rules read it, with its position. */
export interface Word {
  /** Lower case without marks, with look-alike characters replaced by the letters they imitate. */
  readonly folded: string;
  readonly start: number;
  readonly end: number;
  /** Whether it begins a sentence. */
  readonly beginsSentence: boolean;
}

/** Scripts without spaces are read character by character; `@` and `$` stand for letters. */
const WORDS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]\p{M}{0,8}|[\p{L}\p{M}\p{N}@$](?:['’]?[\p{L}\p{M}\p{N}@$]){0,255}/gu;
const SENTENCE_END = /[.!?…]["'”»)\]]*(?:\s|$)|[\n。！？]/;
const SPACE = 32;
/** Limit of words of one text whose folded form is cached: most words repeat. */
const KNOWN_MAX = 4_096;
/** Longer runs of letters are not words. */
const WORD_LENGTH_MAX = 64;
/** Number of single letters that form one spelt word: "k i l l". */
const SPELT_LETTERS_MIN = 3;
const SPELT_LETTERS_MAX = 24;
const SPELLERS: ReadonlySet<string> = new Set([' ', '.', '-', '_', '*', '·']);

const BEYOND_ASCII = /[^\0-\x7f]/;
const MARKS = /\p{M}/gu;
const LATIN = /[a-z]/;
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    а: 'a', в: 'b', с: 'c', ԁ: 'd', е: 'e', ғ: 'f', һ: 'h', і: 'i', ј: 'j', к: 'k', ӏ: 'l', м: 'm', п: 'n', о: 'o',
    р: 'p', ԛ: 'q', ѕ: 's', т: 't', у: 'y', ѵ: 'v', ԝ: 'w', х: 'x', и: 'u', ь: 'b',
    α: 'a', β: 'b', ε: 'e', η: 'n', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', σ: 'o', τ: 't', υ: 'u', χ: 'x', ω: 'w',
  }),
); // oxfmt-ignore
const LEET_PLACE = /[0134578@$]/;
const LEET: Readonly<Record<string, string>> = {
  '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '@': 'a', $: 's',
}; // oxfmt-ignore

/** The words of a text, in order. A word spelt letter by letter is one word. */
export function* wordsOf(text: string): Generator<Word, void, undefined> {
  let end = 0;
  const spelt = new SpeltWord();
  const known = new Map<string, string>();
  const folded = (word: string): string => {
    let seen = known.get(word);
    if (seen === undefined) {
      seen = fold(word);
      if (known.size < KNOWN_MAX) known.set(word, seen);
    }
    return seen;
  };
  for (const { 0: written, index } of text.matchAll(WORDS)) {
    const gap = index === end + 1 && text.charCodeAt(end) === SPACE ? ' ' : text.slice(end, index);
    const beginsSentence = end === 0 || (gap !== ' ' && SENTENCE_END.test(gap));
    end = index + written.length;
    if (written.length === 1) {
      yield* spelt.take({ folded: folded(written), start: index, end, beginsSentence }, gap);
      continue;
    }
    yield* spelt.finish();
    if (written.length > WORD_LENGTH_MAX) continue;
    // "l'eau" is two words, "don't" is one.
    const apostrophe = written.search(/['’]/);
    if (apostrophe === 1 || apostrophe === 2) {
      yield { folded: folded(written.slice(0, apostrophe)), start: index, end: index + apostrophe, beginsSentence };
      const rest = written.slice(apostrophe + 1).replaceAll(/['’]/g, '');
      yield { folded: folded(rest), start: index + apostrophe + 1, end, beginsSentence: false };
    } else {
      const whole = apostrophe === -1 ? written : written.replaceAll(/['’]/g, '');
      yield { folded: folded(whole), start: index, end, beginsSentence };
    }
  }
  yield* spelt.finish();
}

const NONE: readonly never[] = [];
/** Letters that are words. */
const LETTER_WORDS: ReadonlySet<string> = new Set(['a', 'i']);

/** Joins single letters that are separated by the same character. */
class SpeltWord {
  private letters: Word[] = [];
  private separator = '';

  /** @returns the letters before this one, unless it continues them */
  take(letter: Word, gap: string): readonly Word[] {
    const { length } = this.letters;
    const hasSameSeparator = length < 2 || gap === this.separator;
    if (length > 0 && length < SPELT_LETTERS_MAX && hasSameSeparator && SPELLERS.has(gap)) {
      this.separator = gap;
      this.letters.push(letter);
      return NONE;
    }
    const before = this.finish();
    this.letters = [letter];
    return before;
  }

  finish(): readonly Word[] {
    const { letters } = this;
    if (letters.length === 0) return NONE;
    this.letters = [];
    if (letters.length < SPELT_LETTERS_MIN) return letters;
    const [first] = letters;
    const whole = joined(letters);
    // The first letter may be a word by itself.
    return LETTER_WORDS.has(first!.folded) ? [whole, first!, joined(letters.slice(1))] : [whole];
  }
}

const joined = (letters: readonly Word[]): Word => ({
  ...letters[0]!,
  folded: fold(letters.map(({ folded }) => folded).join('')),
  end: letters.at(-1)!.end,
});

/** A word in the form of the word lists. */
export function fold(word: string): string {
  let folded = word.toLowerCase();
  if (BEYOND_ASCII.test(folded)) {
    folded = folded.normalize('NFKD').replaceAll(MARKS, '').replaceAll('ß', 'ss');
    // Letters of two alphabets in one word are meant to be confused.
    if (LATIN.test(folded) && BEYOND_ASCII.test(folded))
      folded = [...folded].map((letter) => LOOKALIKES.get(letter) ?? letter).join('');
  }
  if (folded.length > 2 && LEET_PLACE.test(folded) && LATIN.test(folded))
    folded = folded.replaceAll(/[0134578@$]/g, (sign) => LEET[sign]!);
  return folded;
}
