import type { JSX } from 'preact';

const CLOCK = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
const DAY = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const YEAR = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });

/** The zone of all times of the browser, such as `UTC` or `GMT+2`. */
export const zone = (at = new Date()): string =>
  new Intl.DateTimeFormat('en', { timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')!.value;

/** A moment in the zone of the browser; exact, and in UTC, where the pointer rests. */
export function Time({
  at,
  withZone = false,
}: {
  readonly at: string | null;
  readonly withZone?: boolean;
}): JSX.Element {
  if (at === null) return <span class="none">–</span>;
  const moment = new Date(at);
  const now = new Date();
  const day =
    moment.toDateString() === now.toDateString()
      ? ''
      : `${(moment.getFullYear() === now.getFullYear() ? DAY : YEAR).format(moment)}, `;
  return (
    <time class="number" dateTime={at} title={at}>
      {day}
      {CLOCK.format(moment)}
      {withZone && ` ${zone(moment)}`}
    </time>
  );
}

/** A duration. */
export function Duration({ ms }: { readonly ms: number | null | undefined }): JSX.Element {
  if (ms === null || ms === undefined) return <span class="none">–</span>;
  return (
    <span class="number" title={`${ms} ms`}>
      {shortDuration(ms)}
    </span>
  );
}

export function shortDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000
    ? `${(ms / 1_000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}
