/*
 * The page contains neither script nor style itself, so that its policy needs to allow only files of this gateway; and
 * its programs write no markup, which the policy refuses too.
 */

/** Policy of the page. */
export const CONTENT_SECURITY_POLICY = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `connect-src 'self'`,
  `img-src 'self'`,
  `font-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
  `trusted-types 'none'`,
].join('; ');

/** Names of the files of the page. */
interface PageParts {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
  readonly loaded: readonly string[];
}

/**
 * @param depth folders between the root and the page: addresses are relative, since a proxy may serve it elsewhere
 * @param mayBeSignedIn whether its program has to look for a session
 */
export function printConsolePage(
  { script, style, icon, loaded }: PageParts,
  depth: number,
  mayBeSignedIn: boolean,
): string {
  const root = '../'.repeat(depth);
  const address = (name: string): string => `${root}console/assets/${name}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Fairlead</title>
<link rel="icon" type="image/svg+xml" href="${address(icon)}">
<link rel="stylesheet" href="${address(style)}">
${loaded.map((name) => `<link rel="modulepreload" href="${address(name)}">`).join('\n')}
<script type="module" src="${address(script)}"></script>
</head>
<body>
<div id="console"${mayBeSignedIn ? ' data-signed-in="maybe"' : ''}><p class="loading">Loading the console …</p></div>
<noscript><p>The console needs JavaScript. The <a href="${root}docs">reference</a> lists what the API offers.</p></noscript>
</body>
</html>
`;
}
