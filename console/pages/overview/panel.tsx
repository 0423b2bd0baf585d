import type { ComponentChildren, JSX } from 'preact';
import type { Loaded } from '../../api/use-data.js';
import { Shown } from '../../parts/states.js';

/** How often a panel that is seen is loaded again, in milliseconds. */
export const PANEL_EVERY_MS = 60_000;

interface PanelProps<Data> {
  readonly title: string;
  /** What the figures are of. */
  readonly note?: string;
  readonly of: Loaded<Data>;
  readonly children: (data: Data) => ComponentChildren;
}

/** A part of the overview. */
export function Panel<Data>({ title, note, of, children }: PanelProps<Data>): JSX.Element {
  const id = `panel-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;
  return (
    <section class="panel" aria-labelledby={id} aria-busy={of.isLoading}>
      <h2 id={id}>
        {title}
        {note && <span class="note">{note}</span>}
      </h2>
      <Shown of={of}>{children}</Shown>
    </section>
  );
}
