import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

/** Characters of an id that distinguish it well enough to look at. */
const SHOWN = 8;

interface NamedIdProps {
  readonly id: string;
  /** Undefined where it has none, or it is not known. */
  readonly name: string | undefined;
}

/** The name of something; its id where the pointer rests, or in place of a name. */
export const NamedId = ({ id, name }: NamedIdProps): JSX.Element =>
  name ? (
    <bdi class="name" title={id}>
      {name}
    </bdi>
  ) : (
    <code title={id}>{id.length > SHOWN ? `${id.slice(0, SHOWN)}…` : id}</code>
  );

/** Copies a text, and reports it. */
export function Copy({ text, children }: { readonly text: string; readonly children: ComponentChildren }): JSX.Element {
  const [result, setResult] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setResult('Copied.');
    } catch {
      setResult('The browser does not allow it: select the text.');
    }
  };
  return (
    <>
      <button type="button" class="quiet" onClick={() => void copy()}>
        {children}
      </button>{' '}
      <span role="status">{result}</span>
    </>
  );
}
