/** Forms whose entries are not saved. */
let unsaved = 0;

const warn = (event: BeforeUnloadEvent): void => {
  if (unsaved > 0) event.preventDefault();
};

/**
 * Makes the browser warn a reader who leaves the page.
 * @returns a function that ends this
 */
export function keepUnsaved(): () => void {
  if (unsaved++ === 0) addEventListener('beforeunload', warn);
  return () => {
    if (--unsaved === 0) removeEventListener('beforeunload', warn);
  };
}

/** Whether the page may be left: nothing is unsaved, or the reader gives it up. */
export const mayLeave = (): boolean =>
  unsaved === 0 || confirm('What you have entered is not saved. Leave it all the same?');
