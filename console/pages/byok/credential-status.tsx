import type { JSX } from 'preact';
import type { Credential } from '../../api/schema.js';

const CLASSES: Partial<Readonly<Record<Credential['status'], string>>> = {
  ok: 'good',
  failing: 'bad',
  undecryptable: 'bad',
  key_service_unavailable: 'warn',
};

/** Whether a credential works, by its last call. */
export const CredentialStatus = ({
  of: { disabled, status },
}: {
  readonly of: Pick<Credential, 'disabled' | 'status'>;
}): JSX.Element =>
  disabled ? (
    <span class="warn">disabled</span>
  ) : (
    <span class={CLASSES[status] ?? 'none'}>{status.replaceAll('_', ' ')}</span>
  );
