import { signal } from '@preact/signals';
import type { JSX } from 'preact';

/** Whether amounts are shown with all their digits. */
export const allDigits = signal(false);

/** Decimals of the smallest amount. */
const DECIMALS_MAX = 12;

/** All digits of an amount, without an exponent. */
export function exactUsd(amount: number): string {
  const digits = Math.abs(amount)
    .toFixed(DECIMALS_MAX)
    .replace(/\.?0+$/, '');
  return `${amount < 0 && digits !== '0' ? '-' : ''}$${digits}`;
}

/** Few digits: cents, or three digits of what is less than one; two decimals at least. */
export function shortUsd(amount: number): string {
  const size = Math.abs(amount);
  if (size === 0) return '$0';
  const sign = amount < 0 ? '-' : '';
  if (size >= 0.995)
    return `${sign}$${size.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  if (size < 1e-9) return amount > 0 ? '< $0.000000001' : '> -$0.000000001';
  const digits = size.toLocaleString('en', { maximumSignificantDigits: 3, maximumFractionDigits: DECIMALS_MAX });
  return `${sign}$${digits.replace(/\.\d$/, '$&0')}`;
}

/** An amount of USD. Its digits are shown where the pointer rests, or all at once by the switch of the shell. */
export function Money({ usd }: { readonly usd: number | null | undefined }): JSX.Element {
  if (usd === null || usd === undefined) return <span class="none">–</span>;
  const exact = exactUsd(usd);
  return (
    <data class="number" value={String(usd)} title={exact}>
      {allDigits.value ? exact : shortUsd(usd)}
    </data>
  );
}
