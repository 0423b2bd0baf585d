/** One word of a text as rules read it, and where it stands. */
export interface Word {
  /** Small letters without marks, in the letters that it is meant to be read in. */
  readonly folded: string;
  readonly start: number;
  readonly end: number;
  /** A sentence begins with it. */
  readonly beginsSentence: boolean;
}

/** Scripts without spaces are read by their characters; `@` and `$` stand for letters. */
const WORDS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]\p{M}{0,8}|[\p{L}\p{M}\p{N}@$](?:['’]?[\p{L}\p{M}\p{N}@$]){0,255}/gu;
const SENTENCE_END = /[.!?…]["'”»)\]]*(?:\s|$)|[\n。！？]/;
const SPACE = 32;
/** Words of one text whose folded form is kept: most words come again. */
const KNOWN_MAX = 4_096;
/** Longer ones are no words. */
const WORD_LENGTH_MAX = 64;
/** Single letters that are one word: "k i l l". */
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
); // prettier-ignore
const LEET_PLACE = /[0134578@$]/;
const LEET: Readonly<Record<string, string>> = {
  '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '@': 'a', $: 's',
}; // prettier-ignore

/** The words of a text, in its order. What is spelt out letter by letter comes behind its letters, as one word more. */
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
    const word = spelt.take(written, gap, index);
    if (word) yield word;
    end = index + written.length;
    if (written.length > WORD_LENGTH_MAX) continue;
    // "l'eau" is two words, "don't" is one.
    const apostrophe = written.search(/['’]/);
    if (apostrophe === 1 || apostrophe === 2) {
      yield { folded: folded(written.slice(0, apostrophe)), start: index, end: index + apostrophe, beginsSentence };
      const rest = written.slice(apostrophe + 1).replaceAll(/['’]/g, '');
      yield { folded: folded(rest), start: index + apostrophe + 1, end, beginsSentence: false };
    } else {
      const joined = apostrophe === -1 ? written : written.replaceAll(/['’]/g, '');
      yield { folded: folded(joined), start: index, end, beginsSentence };
    }
  }
  const last = spelt.finish();
  if (last) yield last;
}

/** Puts single letters together that have the same sign between them. */
class SpeltWord {
  private letters = '';
  private separator = '';
  private start = 0;
  private end = 0;

  /** @returns the word that ends before this one */
  take(written: string, gap: string, index: number): Word | undefined {
    const isLetter = written.length === 1;
    if (!isLetter && this.letters === '') return undefined;
    const goesOn = isLetter && SPELLERS.has(gap) && (this.letters.length < 2 || gap === this.separator);
    const ended = goesOn ? undefined : this.finish();
    if (!goesOn) this.start = index;
    else this.separator = gap;
    if (isLetter && this.letters.length < SPELT_LETTERS_MAX) this.letters += written;
    this.end = index + written.length;
    return ended;
  }

  finish(): Word | undefined {
    const { letters, start, end } = this;
    this.letters = '';
    if (letters.length < SPELT_LETTERS_MIN) return undefined;
    return { folded: fold(letters), start, end, beginsSentence: false };
  }
}

/** As the lists of words are written. */
export function fold(word: string): string {
  let folded = word.toLowerCase();
  if (BEYOND_ASCII.test(folded)) {
    folded = folded.normalize('NFKD').replaceAll(MARKS, '').replaceAll('ß', 'ss');
    // Letters of two alphabets in one word are there to be taken for one another.
    if (LATIN.test(folded) && BEYOND_ASCII.test(folded))
      folded = [...folded].map((letter) => LOOKALIKES.get(letter) ?? letter).join('');
  }
  if (folded.length > 2 && LEET_PLACE.test(folded) && LATIN.test(folded))
    folded = folded.replaceAll(/[0134578@$]/g, (sign) => LEET[sign]!);
  return folded;
}
