/** The root of the gateway: programs are two folders below it. It ends with a slash. */
export const ROOT = new URL('../../', import.meta.url);
/** The root of the pages, without a slash at the end. */
export const PAGES = new URL('console', ROOT).pathname;
