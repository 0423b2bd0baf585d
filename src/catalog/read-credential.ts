import { Secret } from '../core/secret.js';
import type { Field } from './field.js';

/** What credentials are read from besides the catalog file itself. */
export interface CredentialSources {
  /** The value of a variable of the process, undefined when it is not set. */
  variable(name: string): string | undefined;
  /** The text of a file, as it is now. */
  file(path: string): CredentialFile;
}

/** A file that holds a credential, or why it could not be read. */
export type CredentialFile = { readonly text: string } | { readonly failure: string };

/** Largest file: a key with all that belongs to it has a twentieth of that. */
export const CREDENTIAL_BYTES_MAX = 64 * 1024;

/** The word for a provider that needs no key. */
const NONE = 'none';
/** A key of a service account is JSON of two thousand and more. */
const CREDENTIAL_CHARS_MAX = 64 * 1024;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The operator's own credential. A variable that is not set means that there is none: callers bring theirs. A file that
 * cannot be read, or says nothing, is a fault.
 */
export function readCredential(field: Field | undefined, sources: CredentialSources): Secret | typeof NONE | undefined {
  if (field?.is(NONE)) return NONE;
  return readSecret(field, sources);
}

/** One that has to be a text. */
export function readSecret(field: Field | undefined, sources: CredentialSources): Secret | undefined {
  const members = field?.members([], ['env', 'value', 'file']);
  if (!field || !members) return undefined;
  if (members.size !== 1) return field.refuse('must have exactly one of env, value and file');
  const name = members.get('env')?.matching(VARIABLE_NAME, 'the name of an environment variable');
  const file = members.get('file');
  const text = file
    ? readCredentialFile(file, sources)
    : name === undefined
      ? members.get('value')?.text(CREDENTIAL_CHARS_MAX)
      : sources.variable(name);
  // Secrets mounted from files often end in a line break, which no header could carry.
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? undefined : new Secret(trimmed);
}

function readCredentialFile(field: Field, sources: CredentialSources): string | undefined {
  const path = field.text();
  if (path === undefined) return undefined;
  const read = sources.file(path);
  if ('failure' in read) return field.refuse(`names a file that ${read.failure}`);
  return read.text.trim() === '' ? field.refuse('names a file that is empty') : read.text;
}
