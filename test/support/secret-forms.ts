/** Characters of base64 that a secret shares with what stands before it, by how many bytes of a group that takes. */
const SHARED = [0, 2, 3] as const;

/**
 * How a secret may stand in a text: as it is, in hex, and in base64 of either alphabet, wherever in it the secret
 * begins.
 * @param secret of eight bytes at least, or chance would find it
 */
export function formsOf(secret: string | Buffer): readonly string[] {
  const bytes = Buffer.from(secret as string);
  if (bytes.length < 8) throw new RangeError('The secret is too short to be searched for.');
  const forms = typeof secret === 'string' ? [secret] : [];
  for (const alphabet of ['base64', 'base64url'] as const) {
    for (const [before, shared] of SHARED.entries()) {
      const text = Buffer.concat([Buffer.alloc(before), bytes]).toString(alphabet);
      // What the last one shares with what comes after is left out, too.
      forms.push(text.slice(shared, Math.floor(((before + bytes.length) * 8) / 6)));
    }
  }
  const hex = bytes.toString('hex');
  return [...new Set([...forms, hex, hex.toUpperCase()])];
}

/** Which secrets stand in which texts, in whatever form: `name in way`. */
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
