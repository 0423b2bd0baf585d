import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { asFailure, type ApiFailure } from '../../api/transport.js';
import { hasEnded, signIn } from '../../app/session.js';
import { Failure } from '../../parts/states.js';

/** Before the token of a link that signs in once. */
const LINK = '#link=';

/** The way in: a management key, or a link that the gateway has printed. */
export function SignIn(): JSX.Element {
  const [link, setLink] = useState(() =>
    location.hash.startsWith(LINK) ? location.hash.slice(LINK.length) : undefined,
  );
  const [failure, setFailure] = useState<ApiFailure>();
  const [isUnderWay, setUnderWay] = useState(false);
  useEffect(() => {
    document.title = 'Sign in – Fairlead';
    // Neither the history nor a copied address keeps the token.
    if (link !== undefined) history.replaceState(null, '', location.pathname + location.search);
  }, []);
  const open = async (body: Parameters<typeof signIn>[0]): Promise<void> => {
    setUnderWay(true);
    setFailure(undefined);
    try {
      await signIn(body);
    } catch (error) {
      setFailure(asFailure(error));
      setUnderWay(false);
      if ('link' in body) setLink(undefined);
    }
  };
  return (
    <main class="sign-in">
      <h1>Sign in to Fairlead</h1>
      {hasEnded.value && <p role="status">The session has ended. Sign in again to go on where you were.</p>}
      {!isSecureContext && (
        <p role="alert" class="failure">
          This address begins with neither https:// nor a name of this machine. Browsers keep no session here: open the
          console over TLS.
        </p>
      )}
      {failure && <Failure failure={failure} />}
      {link === undefined ? (
        <KeyForm isUnderWay={isUnderWay} open={(key) => void open({ key })} />
      ) : (
        <>
          <p>This link signs you in once, by the first management key of this gateway.</p>
          <button type="button" class="main" disabled={isUnderWay} onClick={() => void open({ link })}>
            Sign in
          </button>
        </>
      )}
    </main>
  );
}

interface KeyFormProps {
  readonly isUnderWay: boolean;
  readonly open: (key: string) => void;
}

function KeyForm({ isUnderWay, open }: KeyFormProps): JSX.Element {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('key') as HTMLInputElement;
    const key = field.value.trim();
    // The page keeps nothing of it.
    field.value = '';
    if (key === '') field.focus();
    else open(key);
  };
  return (
    <form onSubmit={submit}>
      <label for="key">Management key</label>
      <input
        id="key"
        name="key"
        type="password"
        autoComplete="off"
        spellcheck={false}
        autoCapitalize="none"
        required
        aria-describedby="key-hint"
      />
      <p id="key-hint" class="hint">
        The gateway printed one at its first start, as FAIRLEAD_MANAGEMENT_KEY. The browser keeps a session, and never
        the key.
      </p>
      <button type="submit" class="main" disabled={isUnderWay}>
        Sign in
      </button>
    </form>
  );
}
