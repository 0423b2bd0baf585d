/** Whether a model id matches a pattern in which `*` stands for any characters: `anthropic/*`. Linear in both. */
export function matchesModel(pattern: string, id: string): boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return pattern === id;
  const first = parts[0]!;
  const last = parts.at(-1)!;
  if (id.length < first.length + last.length || !id.startsWith(first) || !id.endsWith(last)) return false;
  let from = first.length;
  const end = id.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const at = id.indexOf(part, from);
    if (at === -1 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}
