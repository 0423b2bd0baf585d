import { printHead } from '../shared/http/page-files.js';

interface PageState {
  /** Folders between the root and the page: addresses are relative, since a proxy may serve it elsewhere. */
  readonly depth: number;
  /** Whether its program has to look for a session. */
  readonly mayBeSignedIn: boolean;
  /** Host of the issuer that one may sign in by. */
  readonly issuer: string | undefined;
}

/** @param parts names of the files of the page */
export function printConsolePage(
  parts: Parameters<typeof printHead>[0],
  { depth, mayBeSignedIn, issuer }: PageState,
): string {
  const root = '../'.repeat(depth);
  const state = `${mayBeSignedIn ? ' data-signed-in="maybe"' : ''}${issuer === undefined ? '' : ` data-issuer="${issuer}"`}`;
  return `<!doctype html>
<html lang="en">
<head>
${printHead(parts, 'Fairlead', (name) => `${root}console/assets/${name}`)}
</head>
<body>
<div id="console"${state}><p class="loading">Loading the console …</p></div>
<noscript><p>The console needs JavaScript. The <a href="${root}docs">reference</a> lists what the API offers.</p></noscript>
</body>
</html>
`;
}
