import { routabilityFields } from '../providers/routability.js';
import { viewExposed } from '../shared/http/column-exposure.js';
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

/** A credential as administrators see it (docs/operate/byok.md#fields): the keys that every client version requires. */
export type CredentialView = Static<typeof fields>;

/** Schema of a credential in replies. */
export const credentialReply = titled(
  'credential',
  object({
    ...fields.properties,
    // Chosen: an unusable credential must be visible
    // (docs/contribute/threat-model.md#stored-credentials-and-management).
    status: described(
      'Whether it works, by the last call with it: a test or a request. One that this process cannot read has no such state.',
      oneOf([...KNOWN_STATUSES, 'undecryptable', 'key_service_unavailable']),
    ),
    status_reason: described('Of one that does not work.', nullable(text())),
    status_at: described('Since when; null before its first call.', nullable(moment())),
    last_used_at: described('The last request that showed whether it works, to the minute.', nullable(moment())),
    last_refusal: described('The last refusal by the provider, also if the credential works again.', nullable(text())),
    last_refused_at: described('When that was, to the minute.', nullable(moment())),
    ...routabilityFields,
  }),
);
export type CredentialReply = Static<typeof credentialReply>;

/** The audit log stores the same view. */
export const viewCredential = (row: ProviderCredentialEntity): CredentialView =>
  viewExposed<CredentialView>(ProviderCredentialEntity, row);

/** The state of a credential by its calls. Changes by administrators do not affect it. */
type CredentialRecord = Pick<
  CredentialReply,
  'status' | 'status_reason' | 'status_at' | 'last_used_at' | 'last_refusal' | 'last_refused_at'
>;

/** @param opened whether this process can read it */
export function viewRecord(row: ProviderCredentialEntity, opened: CredentialStatus): CredentialRecord {
  const { status, statusReason, statusAt } = row;
  return {
    ...(opened === 'ok'
      ? { status, status_reason: statusReason, status_at: printed(statusAt) }
      : { status: opened, status_reason: UNREADABLE[opened], status_at: null }),
    last_used_at: printed(row.lastUsedAt),
    last_refusal: row.lastRefusal,
    last_refused_at: printed(row.lastRefusedAt),
  };
}

const printed = (moment: Date | null): string | null => moment && moment.toISOString();
