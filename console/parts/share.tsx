import type { JSX } from 'preact';

/** Used share of a limit, in percent and as a bar. */
export function Share({ used, limit }: { readonly used: number; readonly limit: number }): JSX.Element {
  const share = limit > 0 ? used / limit : 1;
  return (
    <span class={share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : undefined}>
      {Math.round(100 * share)} % <meter min={0} max={1} value={Math.min(1, share)} aria-hidden="true" />
    </span>
  );
}
