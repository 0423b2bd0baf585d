/** Number of base64 characters that a secret shares with the preceding bytes, by their number in a group. */
const SHARED = [0, 2, 3] as const;

/**
 * The forms in which a secret may occur in a text: plain, in hex, and in base64 of either alphabet, at any offset.
 * @param secret of at least eight bytes, or it would be found by chance
 */
export function formsOf(secret: string | Buffer): readonly string[] {
  const bytes = Buffer.from(secret as string);
  if (bytes.length < 8) throw new RangeError('The secret is too short to be searched for.');
  const forms = typeof secret === 'string' ? [secret] : [];
  for (const alphabet of ['base64', 'base64url'] as const) {
    for (const [before, shared] of SHARED.entries()) {
      const text = Buffer.concat([Buffer.alloc(before), bytes]).toString(alphabet);
      // The character shared with the following bytes is left out, too.
      forms.push(text.slice(shared, Math.floor(((before + bytes.length) * 8) / 6)));
    }
  }
  const hex = bytes.toString('hex');
  return [...new Set([...forms, hex, hex.toUpperCase()])];
}

/** Finds secrets in texts, in any form: `name in way`. */
export function findSecrets(
  secrets: Readonly<Record<string, string | Buffer>>,
  texts: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const forms = formsOf(secret);
    return Object.entries(texts)
      .filter(([, text]) => forms.some((form) => text.includes(form)))
      .map(([way]) => `${name} in ${way}`);
  });
}
