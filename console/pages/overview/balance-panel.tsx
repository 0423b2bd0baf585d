import type { JSX } from 'preact';
import { call } from '../../api/client.js';
import { useData } from '../../api/use-data.js';
import { Money } from '../../parts/money.js';
import { Panel, PANEL_EVERY_MS } from './panel.js';

/** Panel with the balance of the account. */
export function BalancePanel(): JSX.Element {
  const loaded = useData('balance', async (signal) => (await call('creditsShow', {}, signal)).data, PANEL_EVERY_MS);
  return (
    <Panel title="Balance" of={loaded}>
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
    </Panel>
  );
}
