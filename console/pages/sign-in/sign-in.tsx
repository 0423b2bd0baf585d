import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { asFailure, type ApiFailure } from '../../api/transport.js';
import { hasEnded, signIn, type SignInBody } from '../../app/session.js';
import { beginSignOn, issuer, signOnFailure } from '../../app/sign-on.js';
import { Failure } from '../../parts/states.js';

/** Before the token of a link that signs in once. */
const LINK = '#link=';

/** The way in: the issuer of the settings, a management key, or a link that the gateway has printed. */
export function SignIn(): JSX.Element {
  const [link, setLink] = useState(() =>
    location.hash.startsWith(LINK) ? location.hash.slice(LINK.length) : undefined,
  );
  const [failure, setFailure] = useState<ApiFailure | undefined>(signOnFailure.value);
  const [isUnderWay, setUnderWay] = useState(false);
  useEffect(() => {
    document.title = 'Sign in – Fairlead';
    // Neither the history nor a copied address keeps the token.
    if (link !== undefined) history.replaceState(null, '', location.pathname + location.search);
  }, []);
  const attempt = async (way: () => Promise<void>): Promise<void> => {
    setUnderWay(true);
    setFailure(undefined);
    signOnFailure.value = undefined;
    try {
      await way();
    } catch (error) {
      setFailure(asFailure(error));
      setUnderWay(false);
      setLink(undefined);
    }
  };
  const open = (body: SignInBody): Promise<void> => attempt(() => signIn(body));
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
      {issuer !== undefined && link === undefined && (
        <div class="issuer">
          <button type="button" class="main" disabled={isUnderWay} onClick={() => void attempt(beginSignOn)}>
            Sign in with <bdi>{issuer}</bdi>
          </button>
          <p class="hint">Or with a key of this gateway:</p>
        </div>
      )}
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
