import type { ViewerFileName } from './viewer-files.js';

/*
 * The page loads the viewer and has neither script nor style of its own in its text, so that its policy lets through
 * what this gateway serves, and nothing else.
 */

/**
 * Of the page. `data:` is for the arrows and ticks of the viewer's style sheet. Nothing may be sent but to this
 * gateway, which `default-src` says of connections too.
 */
export const CONTENT_SECURITY_POLICY = [
  `default-src 'self'`,
  `img-src 'self' data:`,
  `object-src 'none'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/**
 * @param beside what leads from the page's own address to the folder in which it stands: nothing, or `../`. Addresses
 *   are relative, as the page stands at the root and below the base path, and a proxy may put it elsewhere.
 */
export function printPage(versions: Readonly<Record<ViewerFileName, string>>, beside: '' | '../'): string {
  const address = (name: ViewerFileName): string => `${beside}docs/${name}?v=${versions[name]}`;
  const description = `${beside}openapi.json`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fairlead: API reference</title>
<link rel="icon" type="image/svg+xml" href="${address('icon.svg')}">
<link rel="stylesheet" href="${address('swagger-ui.css')}">
<link rel="stylesheet" href="${address('reference.css')}">
<script defer src="${address('swagger-ui.js')}"></script>
<script defer src="${address('reference.js')}"></script>
</head>
<body>
<div id="reference" data-description="${description}"><p>Loading the reference …</p></div>
<noscript><p>The reference needs JavaScript. What it shows is <a href="${description}">openapi.json</a>.</p></noscript>
</body>
</html>
`;
}
