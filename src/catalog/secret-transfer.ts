import { Secret } from '../core/secret.js';

/** A secret and its path: names of members, keys of maps and indexes of lists, outermost first. */
export interface PackedSecret {
  readonly path: readonly unknown[];
  readonly text: string;
}

/**
 * Extracts the secrets in maps, lists and objects, to be sent separately: a structured clone for another thread reduces
 * each to an empty object.
 * @param content without circular references
 */
export function packSecrets(content: unknown, path: readonly unknown[] = []): PackedSecret[] {
  if (content instanceof Secret) return [{ path, text: content.reveal() }];
  return membersOf(content).flatMap(([name, member]) => packSecrets(member, [...path, name]));
}

/** Puts the secrets back into the copy. */
export function unpackSecrets(content: unknown, secrets: readonly PackedSecret[]): void {
  for (const { path, text } of secrets) {
    const holder = path.slice(0, -1).reduce((outer, step) => membersOf(outer).find(([name]) => name === step)?.[1], content);
    const name = path.at(-1);
    if (holder instanceof Map) holder.set(name, new Secret(text));
    else Object.assign(holder as object, { [String(name)]: new Secret(text) });
  }
}

function membersOf(content: unknown): readonly (readonly [unknown, unknown])[] {
  if (content instanceof Map) return [...content];
  return typeof content === 'object' && content !== null ? Object.entries(content) : [];
}
