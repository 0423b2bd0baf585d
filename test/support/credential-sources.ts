import type { CredentialSources } from '../../src/catalog/read-credential.js';

/** Variables and files by name; others do not exist. */
export const credentialSources = (
  variables: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = {},
): CredentialSources => ({
  variable: (name) => variables[name],
  file: (path) => (files[path] === undefined ? { failure: 'cannot be read (ENOENT)' } : { text: files[path] }),
});

export const NO_CREDENTIALS = credentialSources({});
