import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

/** An operation as the page contains it, for the form that calls it. */
export interface Tried {
  readonly method: string;
  /** Path from the root, with placeholders of parameters. */
  readonly path: string;
  readonly needsKey: boolean;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required: boolean;
    readonly options?: readonly string[];
  }[];
  readonly examples: Readonly<Record<string, unknown>>;
  readonly streams: boolean;
}

type Parameter = Tried['parameters'][number];

interface Reply {
  readonly head: string;
  readonly text: string;
  readonly progress: 'under way' | 'complete' | 'stopped' | 'failed';
}

interface Entered {
  readonly key: string;
  readonly body: string;
  readonly values: Readonly<Record<string, string>>;
}

const printed = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

/** A form that sends the operation, and its reply beside it as it comes. The key is in the memory of the page alone. */
export function TryIt({ base, of: tried }: { readonly base: string; readonly of: Tried }): JSX.Element {
  const names = Object.keys(tried.examples);
  const [entered, setEntered] = useState<Entered>({
    key: '',
    body: printed(tried.examples[names[0] ?? '']),
    values: {},
  });
  const [reply, setReply] = useState<Reply>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const change = (changes: Partial<Entered>): void => setEntered((before) => ({ ...before, ...changes }));

  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (tried.method === 'DELETE' && !confirm(`Send DELETE ${tried.path}? What it deletes cannot be restored.`)) return;
    const abort = new AbortController();
    running.current = abort;
    await sendTried(base, tried, entered, abort.signal, setReply);
  };

  const fieldsOf = (isMeant: (place: Parameter['in']) => boolean): readonly JSX.Element[] =>
    tried.parameters
      .filter((one) => isMeant(one.in))
      .map((one) => (
        <ParameterField
          key={one.name}
          of={one}
          text={entered.values[one.name] ?? ''}
          change={(text) => setEntered((before) => ({ ...before, values: { ...before.values, [one.name]: text } }))}
        />
      ));

  return (
    <section aria-labelledby="try-heading" class="try">
      <h2 id="try-heading">Try it</h2>
      <div class="pair">
        <form onSubmit={(event) => void send(event)}>
          {tried.needsKey && <KeyField text={entered.key} change={(key) => change({ key })} />}
          {fieldsOf((place) => place !== 'header')}
          {names.length > 1 && (
            <label class="field">
              Example
              <select onChange={({ currentTarget }) => change({ body: printed(tried.examples[currentTarget.value]) })}>
                {names.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          )}
          {names.length > 0 && (
            <label class="field">
              Body
              <textarea
                rows={Math.min(20, entered.body.split('\n').length + 1)}
                spellcheck={false}
                value={entered.body}
                onInput={({ currentTarget }) => change({ body: currentTarget.value })}
              />
            </label>
          )}
          {tried.parameters.some((one) => one.in === 'header') && (
            <details>
              <summary>Headers</summary>
              {fieldsOf((place) => place === 'header')}
            </details>
          )}
          <div class="buttons">
            <button type="submit" class="main" disabled={reply?.progress === 'under way'}>
              Send
            </button>
            <button type="button" disabled={reply?.progress !== 'under way'} onClick={() => running.current?.abort()}>
              Stop
            </button>
          </div>
        </form>
        <ShownReply of={reply} streams={tried.streams} />
      </div>
    </section>
  );
}

interface TextFieldProps {
  readonly text: string;
  readonly change: (text: string) => void;
}

function KeyField({ text, change }: TextFieldProps): JSX.Element {
  const hint = useId();
  return (
    <label class="field">
      Your key
      <input
        type="password"
        autocomplete="off"
        spellcheck={false}
        aria-describedby={hint}
        value={text}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      <span id={hint} class="hint">
        Not stored. Without it, the session of the console counts.
      </span>
    </label>
  );
}

function ParameterField({
  of: { name, required, options },
  text,
  change,
}: TextFieldProps & { readonly of: Parameter }): JSX.Element {
  return (
    <label class="field">
      {name}
      {options ? (
        <select value={text} onChange={({ currentTarget }) => change(currentTarget.value)}>
          <option value="" />
          {options.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ) : (
        <input
          value={text}
          required={required}
          spellcheck={false}
          autoCapitalize="none"
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </label>
  );
}

const STATES: Readonly<Record<Reply['progress'], string>> = {
  'under way': 'The reply is coming …',
  complete: 'The reply is complete.',
  stopped: 'The reply was stopped.',
  failed: 'The gateway does not answer, or the key has characters that no header takes.',
};

const ShownReply = ({
  of: reply,
  streams,
}: {
  readonly of: Reply | undefined;
  readonly streams: boolean;
}): JSX.Element => (
  <div>
    <p role="status" class="hint">
      {reply ? STATES[reply.progress] : `The reply is shown here${streams ? ', with "stream": true as it comes' : ''}.`}
    </p>
    {reply && reply.head !== '' && (
      <p>
        <code>{reply.head}</code>
      </p>
    )}
    {reply && reply.text !== '' && (
      <pre class="wrapped" tabIndex={0} aria-label="Received reply">
        {reply.text}
      </pre>
    )}
  </div>
);

/** The address and the headers that the entered parameters make. */
function addressed(
  base: string,
  { path, parameters }: Tried,
  values: Entered['values'],
): readonly [string, Record<string, string>] {
  const given = (place: Parameter['in']): [string, string][] =>
    parameters
      .filter((one) => one.in === place && (values[one.name] ?? '') !== '')
      .map(({ name }) => [name, values[name]!]);
  const named = Object.fromEntries(given('path'));
  const whole = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(named[name] ?? ''));
  const query = new URLSearchParams(given('query')).toString();
  return [`${base}${whole}${query === '' ? '' : `?${query}`}`, Object.fromEntries(given('header'))];
}

async function sendTried(
  base: string,
  tried: Tried,
  { key, body, values }: Entered,
  signal: AbortSignal,
  show: (reply: Reply) => void,
): Promise<void> {
  const [address, headers] = addressed(base, tried, values);
  const own = key.trim();
  let reply: Reply = { head: '', text: '', progress: 'under way' };
  const next = (changes: Partial<Reply>): void => show((reply = { ...reply, ...changes }));
  next({});
  try {
    const response = await fetch(address, {
      method: tried.method,
      headers: {
        ...headers,
        ...(own === '' ? { 'x-fairlead-console': '1' } : { authorization: `Bearer ${own}` }),
        ...(body !== '' && { 'content-type': 'application/json' }),
      },
      ...(body !== '' && { body }),
      // A key counts alone: no session is sent beside it.
      credentials: own === '' ? 'same-origin' : 'omit',
      cache: 'no-store',
      signal,
    });
    const type = response.headers.get('content-type') ?? '';
    const id = response.headers.get('request-id');
    next({ head: [response.status, type, id].filter(Boolean).join(' · ') });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader!.read())
      next({ text: reply.text + piece.value });
    next({
      text: type.includes('application/json') ? printed(JSON.parse(reply.text)) : reply.text,
      progress: 'complete',
    });
  } catch {
    next({ progress: signal.aborted ? 'stopped' : 'failed' });
  }
}
