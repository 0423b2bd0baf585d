import type { CredentialSource } from '../core/routing/catalog.js';
import { Secret } from '../core/secret.js';
import type { Field } from './field.js';

/** The sources of credentials besides the catalog file itself. */
export interface CredentialSources {
  /** The value of a variable of the process, undefined when it is not set. */
  variable(name: string): string | undefined;
  /** The current text of a file. */
  file(path: string): CredentialFile;
}

/** A file that holds a credential, or why it could not be read. */
export type CredentialFile = { readonly text: string } | { readonly failure: string };

/** Largest file: a key with all its metadata has a twentieth of that. */
export const CREDENTIAL_BYTES_MAX = 64 * 1024;

/** The value for a provider that needs no key. */
const NONE = 'none';
/** The JSON key of a service account has more than two thousand characters. */
const CREDENTIAL_CHARS_MAX = 64 * 1024;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A credential and its source. */
export interface SourcedSecret {
  /** Absent: the variable is not set. */
  readonly secret?: Secret;
  readonly source: CredentialSource;
}

/**
 * The operator's own credential. A variable that is not set means that there is none and callers bring theirs. A file
 * that is unreadable or empty is a fault.
 */
export function readCredential(
  field: Field | undefined,
  sources: CredentialSources,
): SourcedSecret | typeof NONE | undefined {
  if (field?.is(NONE)) return NONE;
  return readSourced(field, sources);
}

/** A credential that must be a text. */
export function readSourced(field: Field | undefined, sources: CredentialSources): SourcedSecret | undefined {
  const members = field?.members([], ['env', 'value', 'file']);
  if (!field || !members) return undefined;
  if (members.size !== 1) return field.refuse('must have exactly one of env, value and file');
  const found = readReferredValue(members, sources);
  if (!found) return undefined;
  // Secrets mounted from files often end in a line break, which no header could carry.
  const trimmed = found.text?.trim() ?? '';
  return { source: found.source, ...(trimmed !== '' && { secret: new Secret(trimmed) }) };
}

/** The value that one of the members refers to. */
function readReferredValue(
  members: ReadonlyMap<'env' | 'value' | 'file', Field>,
  sources: CredentialSources,
): { readonly source: CredentialSource; readonly text: string | undefined } | undefined {
  const env = members.get('env');
  if (env) {
    const name = env.matching(VARIABLE_NAME, 'the name of an environment variable');
    return name === undefined ? undefined : { source: { env: name }, text: sources.variable(name) };
  }
  const file = members.get('file');
  if (file) {
    const path = file.text();
    return path === undefined ? undefined : { source: { file: path }, text: readCredentialFile(file, path, sources) };
  }
  return { source: 'catalog', text: members.get('value')?.text(CREDENTIAL_CHARS_MAX) };
}

function readCredentialFile(field: Field, path: string, sources: CredentialSources): string | undefined {
  const read = sources.file(path);
  if ('failure' in read) return field.refuse(`names a file that ${read.failure}`);
  return read.text.trim() === '' ? field.refuse('names a file that is empty') : read.text;
}
