import type { ComponentChildren, JSX } from 'preact';
import type { Loaded } from '../../api/use-data.js';
import { Shown } from '../../parts/states.js';

/** Milliseconds between two loads of a visible panel. */
export const PANEL_EVERY_MS = 60_000;

interface PanelProps<Data> {
  readonly title: string;
  /** Period or subject of the figures. */
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
