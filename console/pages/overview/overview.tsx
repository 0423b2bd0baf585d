import type { JSX } from 'preact';
import { AlarmsPanel } from './alarms-panel.js';
import { BalancePanel } from './balance-panel.js';
import { ErrorsPanel } from './errors-panel.js';
import { LatencyPanel } from './latency-panel.js';
import { LimitsPanel } from './limits-panel.js';
import { ProvidersPanel } from './providers-panel.js';
import { SpendPanel } from './spend-panel.js';

/**
 * Page with the spend, the errors and the scarcest limits of today. Each panel makes one request; all run concurrently.
 */
export function Overview(): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>Overview</h1>
      <div class="panels">
        <div>
          <SpendPanel />
          <LatencyPanel />
        </div>
        <div>
          <BalancePanel />
          <ErrorsPanel />
          <LimitsPanel />
          <ProvidersPanel />
          <AlarmsPanel />
        </div>
      </div>
    </>
  );
}
