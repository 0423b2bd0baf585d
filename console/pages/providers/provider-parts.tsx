import type { JSX } from 'preact';
import type { Provider } from '../../api/schema.js';
import { Sparkline } from '../../parts/sparkline.js';
import type { HourOfProvider } from './day.js';

const CLASSES = { operational: 'good', degraded: 'warn', down: 'bad', unknown: 'none' } as const;

/** Current state of a provider. */
export const ProviderState = ({ of: { status } }: { readonly of: Provider }): JSX.Element => (
  <span class={CLASSES[status]}>{status === 'unknown' ? 'not called' : status}</span>
);

/** Requests to the provider in each hour of the day, and how many failed. */
export function DayOfProvider({
  hours,
  hasTable = false,
}: {
  readonly hours: readonly HourOfProvider[] | undefined;
  readonly hasTable?: boolean;
}): JSX.Element {
  if (!hours) return <span class="none">none</span>;
  const sum = (of: (hour: HourOfProvider) => number): number => hours.reduce((all, hour) => all + of(hour), 0);
  const [requests, errors] = [sum(({ value }) => value), sum(({ bad }) => bad)];
  return (
    <Sparkline
      title={`Requests of 24 hours: ${requests.toLocaleString('en')}, ${errors.toLocaleString('en')} failed`}
      momentName="Hour (UTC)"
      points={hours}
      print={(value) => value.toLocaleString('en')}
      badName="Failed"
      hasTable={hasTable}
    />
  );
}

/** Data policy of a provider in a few words. */
export function policyOf({ data_policy: policy }: Provider): string {
  if (policy.zero_data_retention) return 'keeps nothing';
  const kept =
    policy.retention_days === null
      ? policy.collects_data
        ? 'keeps'
        : 'keeps for no purpose of its own'
      : `keeps ${policy.retention_days} ${policy.retention_days === 1 ? 'day' : 'days'}`;
  return `${kept}, ${policy.trains ? 'trains' : 'does not train'}`;
}

/**
 * Owners of the credentials of a provider.
 * @param own number of credentials that callers stored
 */
export function credentialOf({ needs_own_credential: needsOwn }: Provider, own: number): string {
  const parts = [...(needsOwn ? [] : ['the operator']), ...(own > 0 ? [`${own} own`] : [])];
  return parts.length === 0 ? 'no one' : parts.join(', ');
}
