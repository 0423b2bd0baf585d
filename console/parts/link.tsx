import type { ComponentChildren, JSX } from 'preact';
import { addressOf, navigate } from '../app/router.js';

interface LinkProps {
  /** A page: `generations/gen-1`. */
  readonly to: string;
  readonly parameters?: Readonly<Record<string, string | undefined>>;
  readonly current?: boolean;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A link to a page of the console. It opens in another window as any link does. */
export function Link({ to, parameters, current, class: className, children }: LinkProps): JSX.Element {
  const address = addressOf(to, parameters);
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(address);
    scrollTo(0, 0);
  };
  return (
    <a href={address} class={className} aria-current={current ? 'page' : undefined} onClick={follow}>
      {children}
    </a>
  );
}
