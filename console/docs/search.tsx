import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { find, partsOf, type Found, type Hit, type Kind } from './find.js';

/** Hits of each kind that are shown. */
const SHOWN_MAX = 8;
const KINDS: Readonly<Record<Kind, string>> = {
  operation: 'Operations',
  guide: 'Guide',
  field: 'Fields',
  status: 'Statuses',
  'error kind': 'Kinds of errors',
};

/** Finds in everything that the documentation has, and shows where. @param folder of the pages */
export function Search({ folder }: { readonly folder: URL }): JSX.Element {
  const [phrase, setPhrase] = useState('');
  const [index, setIndex] = useState<readonly Found[] | 'missing'>();
  const [isAsked, setIsAsked] = useState(false);
  useEffect(() => {
    if (!isAsked) return;
    fetch(new URL('search.json', folder))
      .then((response) => response.json() as Promise<readonly Found[]>)
      .then(setIndex, () => setIndex('missing'));
  }, [isAsked]);
  const words = phrase.trim();
  const hits = words === '' || typeof index !== 'object' ? [] : find(index, words);
  return (
    <search
      onKeyDown={({ key }) => {
        if (key === 'Escape') setPhrase('');
      }}
    >
      <label>
        <span class="unseen">Search</span>
        <input
          type="search"
          placeholder="Search: word, path, field, status"
          value={phrase}
          onFocus={() => setIsAsked(true)}
          onInput={({ currentTarget }) => {
            setIsAsked(true);
            setPhrase(currentTarget.value);
          }}
        />
      </label>
      <p role="status" class={words === '' ? 'unseen' : 'hint'}>
        {words === '' ? '' : stateOf(index, hits.length, words)}
      </p>
      {hits.length > 0 && (
        <div class="hits" role="region" aria-label="Found">
          {(Object.keys(KINDS) as Kind[]).map((kind) => (
            <HitsOf key={kind} kind={kind} hits={hits.filter((hit) => hit.kind === kind)} folder={folder} />
          ))}
        </div>
      )}
    </search>
  );
}

function stateOf(index: readonly Found[] | 'missing' | undefined, count: number, words: string): string {
  if (index === undefined) return 'Searching …';
  if (index === 'missing') return 'The search cannot be loaded: the gateway does not answer.';
  return count === 0 ? `Nothing has all words of “${words}”.` : `${count.toLocaleString('en')} found.`;
}

interface HitsProps {
  readonly kind: Kind;
  readonly hits: readonly Hit[];
  readonly folder: URL;
}

function HitsOf({ kind, hits, folder }: HitsProps): JSX.Element | null {
  const [isWhole, setIsWhole] = useState(false);
  if (hits.length === 0) return null;
  return (
    <section aria-label={KINDS[kind]}>
      <h2>
        {KINDS[kind]} <span class="note">{hits.length.toLocaleString('en')}</span>
      </h2>
      <ul>
        {hits.slice(0, isWhole ? hits.length : SHOWN_MAX).map(({ title, of, excerpt, path, words }) => (
          <li key={path}>
            <a href={new URL(path, folder).href}>
              <Marked text={title} words={words} />
            </a>{' '}
            <span class="hint">{of}</span>
            {excerpt !== '' && (
              <p class="hint">
                <Marked text={excerpt} words={words} />
              </p>
            )}
          </li>
        ))}
      </ul>
      {hits.length > SHOWN_MAX && !isWhole && (
        <button type="button" class="quiet" onClick={() => setIsWhole(true)}>
          All {hits.length.toLocaleString('en')}
          <span class="unseen"> of {KINDS[kind]}</span>
        </button>
      )}
    </section>
  );
}

const Marked = ({ text, words }: { readonly text: string; readonly words: readonly string[] }): JSX.Element => (
  <>{partsOf(text, words).map((part, index) => (part.isMatch ? <mark key={index}>{part.text}</mark> : part.text))}</>
);
