import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api/client.js';
import type { AuditVerification } from '../../api/schema.js';
import { ActionButton } from '../../parts/action-button.js';
import { Copy } from '../../parts/named-id.js';
import { Time } from '../../parts/time.js';

/** Whether each entry is as it was recorded, and none is missing. All of them are read, so it is done on demand. */
export function Chain(): JSX.Element {
  const [result, setResult] = useState<AuditVerification>();
  return (
    <section class="panel" aria-labelledby="chain">
      <h2 id="chain">Is the chain whole?</h2>
      <p>
        Each entry has a hash of itself and the one before it, and a seal that only this gateway can make. Verifying
        them reads them all.
      </p>
      <div class="buttons">
        <ActionButton
          class="main"
          act={async () => {
            setResult(undefined);
            setResult((await call('auditVerify', {})).data);
          }}
        >
          Verify the chain
        </ActionButton>
      </div>
      <div role="status">{result && <Result of={result} />}</div>
    </section>
  );
}

function Result({ of }: { readonly of: AuditVerification }): JSX.Element {
  const { entries, unsealed, unchecked, last, broken } = of;
  return (
    <>
      <p>
        {broken === null ? (
          <strong class="good">It is whole:</strong>
        ) : (
          <strong class="bad">It is broken at entry {broken.id}.</strong>
        )}{' '}
        {broken !== null && `${broken.reason} Before it: `}
        {entries.toLocaleString('en')} valid {entries === 1 ? 'entry' : 'entries'}.
      </p>
      {unchecked > 0 && (
        <p class="bad">
          {unchecked.toLocaleString('en')} seals could not be checked: the encryption keys of this gateway do not open
          their key.
        </p>
      )}
      {unsealed > 0 && (
        <p class="warn">
          {unsealed.toLocaleString('en')} entries have no seal, from before there were any. More than at the last
          verification means that seals were removed.
        </p>
      )}
      <dl class="facts">
        <dt>Verified</dt>
        <dd>
          <Time at={of.verified_at} withZone />
        </dd>
        <dt>Last entry</dt>
        <dd>{last.id}</dd>
        {last.seal !== null && (
          <>
            <dt>Its seal</dt>
            <dd>
              <code class="id">{last.seal}</code> <Copy text={last.seal}>Copy</Copy>
              <p class="hint">
                Keep it elsewhere: with <code>verify audit --newest</code> it shows whether the newest entries were cut
                off, which the chain itself cannot.
              </p>
            </dd>
          </>
        )}
      </dl>
    </>
  );
}
