import type { Guide, GuidePage } from './guide-pages.js';
import type { ViewerFileName } from './viewer-files.js';

/*
 * The page loads the viewer and contains neither script nor style itself, so that its policy needs to allow only files
 * of this gateway.
 */

/**
 * Policy of the page. `data:` is for the arrows and ticks of the viewer's style sheet. `default-src` also restricts
 * connections to this gateway.
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
 * @param beside the relative path from the page's own address to its folder: nothing, or `../`. Addresses are relative,
 * since the page is served at the root and below the base path, and a proxy may serve it elsewhere.
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
<div id="reference" data-description="${description}" data-guide="${address('guide.json')}"><p>Loading the reference …</p></div>
<noscript><p>The reference needs JavaScript. What it shows is <a href="${description}">openapi.json</a>. <a href="${beside}docs/use/quickstart">The guide</a> needs none.</p></noscript>
</body>
</html>
`;
}

/** A page of the guide beside the reference: no script, and addresses relative to its own. */
export function printGuidePage(
  page: GuidePage,
  guide: Guide,
  versions: Readonly<Record<ViewerFileName, string>>,
): string {
  // `use/` stands before the name.
  const docs = '../'.repeat(page.name.split('/').length);
  const address = (name: ViewerFileName): string => `${docs}${name}?v=${versions[name]}`;
  const links = [...guide.values()].map(({ name, titleHtml }) =>
    name === page.name
      ? `<li><a aria-current="page" href="${docs}use/${name}">${titleHtml}</a></li>`
      : `<li><a href="${docs}use/${name}">${titleHtml}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Fairlead: ${page.titleHtml}</title>
<link rel="icon" type="image/svg+xml" href="${address('icon.svg')}">
<link rel="stylesheet" href="${address('guide.css')}">
</head>
<body>
<nav aria-label="Guide">
<p><a href="${docs}../docs">Reference and search</a></p>
<ul>
${links.join('\n')}
</ul>
</nav>
<main>
${page.html}</main>
</body>
</html>
`;
}
