/** The argument of a custom tool, which is a text. */
export const TEXT_ARGUMENT = 'input';

/** The JSON before the text in the arguments of a custom tool. */
const HEAD = new RegExp(`^\\s*\\{\\s*"${TEXT_ARGUMENT}"\\s*:\\s*"`);
/** Arguments that begin with more than this have another form. */
const HEAD_MAX = 64;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };
const HEX = /^[0-9a-f]{4}$/i;
const ENDS_IN_HALF = /[\ud800-\udbff]$/;

/** Extracts the text of one call of a custom tool from JSON that arrives in pieces. */
export class TextInput {
  private state: 'head' | 'text' | 'over' | 'other' = 'head';
  /** JSON that is not read yet: an incomplete head or escape. */
  private rest = '';
  /** The first half of a surrogate pair. */
  private half = '';

  /** Whether the arguments have the usual form. Then `add` and `end` together returned the whole text. */
  get isText(): boolean {
    return this.state === 'text' || this.state === 'over';
  }

  /** @returns the text that the piece adds */
  add(json: string): string {
    if (this.state === 'over' || this.state === 'other') return '';
    const whole = this.rest + json;
    if (this.state === 'text') return this.read(whole, 0);
    const head = HEAD.exec(whole)?.[0];
    if (head !== undefined) {
      this.state = 'text';
      return this.read(whole, head.length);
    }
    if (whole.length > HEAD_MAX) this.state = 'other';
    this.rest = whole;
    return '';
  }

  /** @returns the text that was held back */
  end(): string {
    const { half } = this;
    this.half = '';
    return half;
  }

  private read(json: string, from: number): string {
    const special = /["\\]/g;
    let text = this.half;
    let index = from;
    this.rest = '';
    for (;;) {
      special.lastIndex = index;
      const found = special.exec(json)?.index ?? json.length;
      text += json.slice(index, found);
      if (found === json.length) break;
      if (json[found] === '"') {
        this.state = 'over';
        break;
      }
      const length = json[found + 1] === 'u' ? 6 : 2;
      if (found + length > json.length) {
        this.rest = json.slice(found);
        break;
      }
      text += unescaped(json.slice(found, found + length));
      index = found + length;
    }
    this.half = this.state === 'text' && ENDS_IN_HALF.test(text) ? text.slice(-1) : '';
    return this.half === '' ? text : text.slice(0, -1);
  }
}

/** Escapes that JSON does not have stand for themselves. */
function unescaped(escape: string): string {
  const code = escape.slice(2);
  if (escape[1] !== 'u') return ESCAPES[escape[1]!] ?? escape[1]!;
  return HEX.test(code) ? String.fromCharCode(Number.parseInt(code, 16)) : escape;
}
