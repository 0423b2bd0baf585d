import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import type { LedgerVerification } from '../../api/schema.js';
import { useData } from '../../api/use-data.js';
import { Money } from '../../parts/money.js';
import { Copy } from '../../parts/named-id.js';
import { Shown } from '../../parts/states.js';
import { Time } from '../../parts/time.js';

const COMMAND = 'npm run ledger:verify';

/** Panels with the balance of the account and the verification of the ledger. */
export function Balance(): JSX.Element {
  const balance = useData('balance', async (signal) => (await call('creditsShow', {}, signal)).data);
  const verification = useData('verification', async (signal) => (await call('creditsVerification', {}, signal)).data);
  return (
    <div class="panels halves">
      <section class="panel" aria-labelledby="balance">
        <h2 id="balance">Balance</h2>
        <Shown of={balance}>
          {({ total_credits: credits, total_usage: usage }) => (
            <dl class="facts">
              <dt>Left</dt>
              <dd class="large">{credits === null ? 'unlimited' : <Money usd={credits - usage} />}</dd>
              <dt>Credits</dt>
              <dd>{credits === null ? 'unlimited' : <Money usd={credits} />}</dd>
              <dt>Charged in all</dt>
              <dd>
                <Money usd={usage} />
              </dd>
            </dl>
          )}
        </Shown>
      </section>
      <section class="panel" aria-labelledby="verification">
        <h2 id="verification">Does it add up?</h2>
        <Shown of={verification}>{(last) => <Verification last={last} />}</Shown>
      </section>
    </div>
  );
}

const Verification = ({ last }: { readonly last: LedgerVerification | null }): JSX.Element => (
  <>
    {last === null ? (
      <p>The ledger has not been verified yet.</p>
    ) : (
      <dl class="facts">
        <dt>Differences</dt>
        <dd class={`large ${last.differences === 0 ? 'good' : 'bad'}`}>{last.differences.toLocaleString('en')}</dd>
        <dt>Warnings</dt>
        <dd class={last.warnings === 0 ? undefined : 'warn'}>{last.warnings.toLocaleString('en')}</dd>
        <dt>Verified</dt>
        <dd>
          <Time at={last.verified_at} withZone />
        </dd>
      </dl>
    )}
    <p class="hint">
      This command recomputes every amount from its entries, and names each that differs: <code>{COMMAND}</code>{' '}
      <Copy text={COMMAND}>Copy</Copy>
    </p>
  </>
);
