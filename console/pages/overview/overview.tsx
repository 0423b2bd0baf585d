import type { JSX } from 'preact';
import { AlarmsPanel } from './alarms-panel.js';
import { BalancePanel } from './balance-panel.js';
import { ErrorsPanel } from './errors-panel.js';
import { LatencyPanel } from './latency-panel.js';
import { LimitsPanel } from './limits-panel.js';
import { ProvidersPanel } from './providers-panel.js';
import { SpendPanel } from './spend-panel.js';

/** What is spent today, what fails, what runs out next. Each panel makes one request, beside the others. */
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
