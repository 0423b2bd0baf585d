import type { ComponentType, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { SignIn } from '../pages/sign-in/sign-in.js';
import { Link } from '../parts/link.js';
import { allDigits } from '../parts/money.js';
import { ROOT } from './base.js';
import { path } from './router.js';
import { routeAt, ROUTES, type PageProps, type Route } from './routes.js';
import { session, signOut } from './session.js';
import { warning } from './warnings.js';

/** The console: a page of it, or the way to sign in. */
export function App(): JSX.Element {
  if (session.value === undefined) return <p class="loading">Loading the console …</p>;
  return session.value === null ? <SignIn /> : <Shell />;
}

function Shell(): JSX.Element {
  const found = routeAt(path.value);
  const heading = useFocusedHeading(path.value);
  useEffect(() => {
    document.title = `${found?.route.title ?? 'No such page'} – Fairlead`;
    // On a small screen the navigation is one line, which moves sideways.
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [found?.route]);
  return (
    <>
      <a class="skip" href="#page" onClick={skipToPage}>
        Skip to the page
      </a>
      <header class="bar">
        <Link class="brand" to="">
          Fairlead
        </Link>
        <div class="bar-end">
          <label class="switch">
            <input
              type="checkbox"
              checked={allDigits.value}
              onChange={({ currentTarget }) => void (allDigits.value = currentTarget.checked)}
            />
            All digits
          </label>
          <a href={new URL('docs', ROOT).pathname}>Reference</a>
          <button type="button" class="quiet" onClick={() => void signOut()}>
            Sign out
          </button>
        </div>
        <nav aria-label="Pages">
          <ul>
            {ROUTES.filter(({ partOf }) => partOf === undefined).map((route) => (
              <li key={route.path}>
                <Link to={route.path} current={route.path === (found?.route.partOf ?? found?.route.path)}>
                  {route.title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main id="page" tabIndex={-1} ref={heading}>
        {warning.value !== null && (
          <p role="status" class="warned">
            {warning.value}{' '}
            <button type="button" class="quiet" onClick={() => void (warning.value = null)}>
              Close<span class="unseen"> this warning</span>
            </button>
          </p>
        )}
        {found ? <PageOf key={found.route.path} route={found.route} rest={found.rest} /> : <NoSuchPage />}
      </main>
    </>
  );
}

/** The program of a page is loaded when it is first shown. */
function PageOf({ route, rest }: { readonly route: Route; readonly rest: string }): JSX.Element {
  const [shown, setShown] = useState<{ readonly Page: ComponentType<PageProps> } | 'missing'>();
  useEffect(() => {
    route.load().then(
      (Page) => setShown({ Page }),
      () => setShown('missing'),
    );
  }, [route]);
  if (shown === 'missing')
    return (
      <>
        <h1 tabIndex={-1}>{route.title}</h1>
        <p role="alert" class="failure">
          This page cannot be loaded: the gateway does not answer, or was renewed meanwhile. Load the console again.
        </p>
      </>
    );
  return shown ? <shown.Page rest={rest} /> : <p class="loading">Loading …</p>;
}

function NoSuchPage(): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>No such page</h1>
      <p>
        The console has no page at this address. <Link to="">Go to the overview</Link>.
      </p>
    </>
  );
}

/** Moves the focus to the heading where another page is shown, so that readers of the screen begin there. */
function useFocusedHeading(place: string): { current: HTMLElement | null } {
  const main = useRef<HTMLElement>(null);
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return undefined;
    before.current = place;
    const focus = (): boolean => {
      const heading = main.current?.querySelector('h1');
      heading?.focus();
      return Boolean(heading);
    };
    if (focus()) return undefined;
    const observer = new MutationObserver(() => focus() && observer.disconnect());
    observer.observe(main.current!, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [place]);
  return main;
}

/** Within the page: the address stays, which the router reads. */
function skipToPage(event: Event): void {
  event.preventDefault();
  document.getElementById('page')?.focus();
}
