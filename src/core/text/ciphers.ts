/** The characters of an encrypted text; such a text is longer than anything that filters look for. */
const CIPHER = /^[\w+/=-]*$/;
const CIPHER_CHARACTERS_MIN = 64;
/** Characters that are checked in one step. */
const STEP = 65_536;

/** Undefined where a step ends. */
type Steps<Result> = Generator<undefined, Result, undefined>;

/** Whether a text can only be base64 or text that its sender has encrypted. */
export function* isCipher(text: string): Steps<boolean> {
  if (text.length < CIPHER_CHARACTERS_MIN) return false;
  for (let from = 0; from < text.length; from += STEP) {
    if (!CIPHER.test(text.slice(from, from + STEP))) return false;
    yield undefined;
  }
  return true;
}

/** Some encoders break it into lines. */
const BASE64 = /^[\w+/=\s-]*$/;
const CONTROL = /[^\P{Cc}\s]/u;

/** The text encoded by a base64 text, or undefined where it does not encode text: its first bytes show that. */
export function* decodedText(base64: string): Steps<string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const pieces: string[] = [];
  let rest = '';
  for (let from = 0; from < base64.length; from += STEP) {
    const piece = base64.slice(from, from + STEP);
    if (!BASE64.test(piece)) return undefined;
    const characters = rest + piece.replaceAll(/\s/g, '');
    // Four characters encode three bytes.
    const whole = from + STEP < base64.length ? characters.length - (characters.length % 4) : characters.length;
    rest = characters.slice(whole);
    const text = decoded(decoder, Buffer.from(characters.slice(0, whole), 'base64'), from + STEP >= base64.length);
    if (text === undefined || CONTROL.test(text)) return undefined;
    pieces.push(text);
    yield undefined;
  }
  return pieces.join('');
}

function decoded(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer, isLast: boolean): string | undefined {
  try {
    return decoder.decode(bytes, { stream: !isLast });
  } catch {
    return undefined;
  }
}
