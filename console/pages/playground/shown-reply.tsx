import type { JSX } from 'preact';
import { Link } from '../../parts/link.js';
import { at, printed, textAt, type Json, type Reply } from './reply.js';

/** Events that are shown: of a long reply the last. */
const EVENTS_MAX = 200;

/** A reply as it comes: its text, then all that came with it. */
export function ShownReply({ reply }: { readonly reply: Reply }): JSX.Element {
  const { text, reasoning, tools, usage, metadata, error, events } = reply;
  const id = generationOf(events);
  return (
    <>
      {error !== undefined && (
        <p role="alert" class="failure">
          {error}
        </p>
      )}
      {text !== '' && (
        <div class="reply" role="region" aria-label="Text of the reply" tabIndex={0}>
          {text}
        </div>
      )}
      {reasoning !== '' && <Part title="Reasoning" content={reasoning} />}
      {tools.map(({ place, name, content }) => (
        <Part key={place} title={`Tool: ${name}`} content={content} isOpen />
      ))}
      {usage !== undefined && <Part title="Usage and cost" content={printed(usage)} isOpen />}
      {metadata !== undefined && <Part title="Routing metadata" content={printed(metadata)} />}
      {events.length > 0 && (
        <Part
          title={`Events (${events.length})`}
          content={events
            .slice(-EVENTS_MAX)
            .map((event) => JSON.stringify(event))
            .join('\n')}
        />
      )}
      {id !== undefined && (
        <p>
          <Link to={`generations/${id}`}>Show this generation</Link>
        </p>
      )}
    </>
  );
}

interface PartProps {
  readonly title: string;
  readonly content: string;
  readonly isOpen?: boolean;
}

const Part = ({ title, content, isOpen = false }: PartProps): JSX.Element => (
  <details open={isOpen}>
    <summary>{title}</summary>
    <pre class="wrapped" tabIndex={0} aria-label={title}>
      {content}
    </pre>
  </details>
);

/** The id of the generation, which is that of the reply in each format. */
function generationOf([first]: readonly Json[]): string | undefined {
  const ids = [at(first, 'message'), at(first, 'response'), first].map((place) => textAt(place, 'id'));
  return ids.find((id) => id.startsWith('gen-'));
}
