import { isJsonObject } from '../../core/json/json.js';
import { isTransportHeader } from '../transport/http-headers.js';
import { CredentialMembers, readStructure, refused } from './credential-members.js';

/** The source of a workload's own token, which Google exchanges. */
export interface SubjectSource {
  /** A file on this machine: for the operator's credentials only. */
  readonly file?: string;
  readonly url?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The member of the JSON that holds the token; absent: the text is the token. */
  readonly field?: string;
}

interface GoogleLocation {
  readonly projectId: string;
  /** Absent: the region of the catalog's address, else the global one. */
  readonly region?: string;
}

export interface ServiceAccount extends GoogleLocation {
  readonly type: 'service-account';
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly privateKeyId?: string;
  readonly tokenUri: string;
}

export interface ExternalAccount extends GoogleLocation {
  readonly type: 'external-account';
  readonly audience: string;
  readonly subjectTokenType: string;
  readonly tokenUrl: string;
  readonly source: SubjectSource;
  readonly impersonationUrl?: string;
}

export type GoogleCredential = ServiceAccount | ExternalAccount | { readonly type: 'api-key'; readonly key: string };

const PROJECT = /^[A-Za-z0-9][A-Za-z0-9.:-]*$/;
const TOKEN_URI = 'https://oauth2.googleapis.com/token';
const TOKEN_URL = 'https://sts.googleapis.com/v1/token';

/** Sources of subject tokens other than files and addresses, by their member. */
const OTHER_SOURCES: readonly (readonly [string, string])[] = [
  ['environment_id', 'takes its token from a workload at AWS, which is not supported: use a token by file or url'],
  ['executable', 'gets its token from a program, which is not supported: use a token by file or url'],
  ['certificate', 'authenticates by a certificate, which is not supported: use a token by file or url'],
];

/**
 * Reads a credential of Google's cloud: the JSON of a service account's key, that of an external account (workload
 * identity), or a plain API key.
 * @throws ProviderFault `refused-credential`
 */
export function readGoogleCredential(text: string): GoogleCredential {
  const value = readStructure(text);
  if (value === undefined) return { type: 'api-key', key: text };
  if (!isJsonObject(value)) throw refused('is a list, and must be an object');
  const members = new CredentialMembers(value);
  const type = members.optional('type') ?? 'service_account';
  if (type === 'service_account') return serviceAccount(members);
  if (type === 'external_account') return externalAccount(members);
  throw refused('is of a type that cannot be used: it must be service_account or external_account');
}

function serviceAccount(members: CredentialMembers): ServiceAccount {
  const privateKeyId = members.optional('private_key_id');
  return {
    type: 'service-account',
    ...locationOf(members, members.part('project_id', PROJECT)),
    clientEmail: members.text('client_email'),
    privateKey: members.text('private_key'),
    tokenUri: members.optional('token_uri') ?? TOKEN_URI,
    ...(privateKeyId !== undefined && { privateKeyId }),
  };
}

function externalAccount(members: CredentialMembers): ExternalAccount {
  const source = members.inside('credential_source');
  for (const [name, complaint] of OTHER_SOURCES) if (source.has(name)) throw refused(complaint);
  const file = source.optional('file');
  const url = source.optional('url');
  if (file === undefined && url === undefined) throw refused('has a credential_source without file or url');
  const format = source.has('format') ? source.inside('format') : undefined;
  const isJson = format?.optional('type') === 'json';
  const impersonationUrl = members.optional('service_account_impersonation_url');
  return {
    type: 'external-account',
    ...locationOf(members, projectOf(members, impersonationUrl)),
    audience: members.text('audience'),
    subjectTokenType: members.text('subject_token_type'),
    tokenUrl: members.optional('token_url') ?? TOKEN_URL,
    source: {
      ...(file === undefined ? { url: source.text('url') } : { file }),
      headers: source.has('headers') ? headersOf(source.inside('headers')) : {},
      ...(isJson && format && { field: format.text('subject_token_field_name') }),
    },
    ...(impersonationUrl !== undefined && { impersonationUrl }),
  };
}

/**
 * Project of an external-account credential. Without a member that names it, it is the impersonated service account's.
 */
function projectOf(members: CredentialMembers, impersonationUrl: string | undefined): string {
  for (const name of ['project_id', 'quota_project_id']) if (members.has(name)) return members.part(name, PROJECT);
  const project = /@([a-z0-9-]+)\.iam\.gserviceaccount\.com/.exec(impersonationUrl ?? '')?.[1];
  if (project === undefined) throw refused('lacks the member project_id');
  return project;
}

function locationOf(members: CredentialMembers, projectId: string): GoogleLocation {
  const region = members.optionalPart('region');
  return { projectId, ...(region !== undefined && { region }) };
}

/** Names and values as in HTTP; a value has no characters that would end it. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;

function headersOf(members: CredentialMembers): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of members.texts()) {
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value) || isTransportHeader(name))
      throw refused('has a credential_source with a header that cannot be sent');
    headers[name.toLowerCase()] = value;
  }
  return headers;
}
