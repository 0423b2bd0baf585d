import { routabilityFields } from '../providers/routability.js';
import { viewExposed } from '../shared/http/exposed.js';
import {
  flag,
  integer,
  moment,
  nullable,
  object,
  oneOf,
  rows,
  text,
  titled,
  described,
  type Static,
} from '../shared/http/schema.js';
import { UNREADABLE, type CredentialStatus } from './credential-opener.js';
import { KNOWN_STATUSES, ProviderCredentialEntity } from './provider-credential.entity.js';

const fields = object({
  id: text(),
  provider: text(),
  name: nullable(text()),
  label: described('The beginning and the end of the credential.', text()),
  disabled: flag(),
  is_fallback: described('Used only when the operator’s own credential has failed.', flag()),
  sort_order: integer(),
  workspace_id: text(),
  created_at: moment(),
  allowed_models: nullable(rows(text())),
  allowed_user_ids: nullable(rows(text())),
  allowed_api_key_hashes: nullable(rows(text())),
  is_required: flag(),
  is_byok_only: flag(),
  declared_zdr: nullable(flag()),
});

/** A credential as administrators see it (docs/byok.md#fields): the keys that every client version wants. */
export type CredentialView = Static<typeof fields>;

/** The same in a reply. */
export const credentialReply = titled(
  'credential',
  object({
    ...fields.properties,
    // Chosen: a credential that cannot be used must be seen (docs/reasons/security.md#unreadable-credentials-are-seen).
    status: described(
      'Whether it works, by the last call with it: a test or a request. One that this process cannot read has no such state.',
      oneOf([...KNOWN_STATUSES, 'undecryptable', 'key_service_unavailable']),
    ),
    status_reason: described('Of one that does not work.', nullable(text())),
    status_at: described('When the status was found; null before that.', nullable(moment())),
    ...routabilityFields,
  }),
);
export type CredentialReply = Static<typeof credentialReply>;

/** As the audit log keeps it too. */
export const viewCredential = (row: ProviderCredentialEntity): CredentialView =>
  viewExposed<CredentialView>(ProviderCredentialEntity, row);

/** @param opened whether this process can read it */
export const viewStatus = (
  { status, statusReason, statusAt }: ProviderCredentialEntity,
  opened: CredentialStatus,
): Pick<CredentialReply, 'status' | 'status_reason' | 'status_at'> =>
  opened === 'ok'
    ? { status, status_reason: statusReason, status_at: statusAt && statusAt.toISOString() }
    : { status: opened, status_reason: UNREADABLE[opened], status_at: null };
