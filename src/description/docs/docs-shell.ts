import { printHead } from '../../shared/http/page-files.js';

/** A page of the documentation. */
export interface DocsPage {
  readonly titleHtml: string;
  /** The content of `main`. */
  readonly html: string;
  readonly sideHtml: string;
  /** Leads from its own address to the folder of the pages: addresses are relative, as a proxy may add to them. */
  readonly docs: string;
  /** Whether the console is on. */
  readonly hasConsole: boolean;
}

/** @param parts names of the files of the page */
export const printDocsPage = (
  parts: Parameters<typeof printHead>[0],
  { titleHtml, html, sideHtml, docs, hasConsole }: DocsPage,
): string => `<!doctype html>
<html lang="en">
<head>
${printHead(parts, `${titleHtml} – Fairlead`, (name) => `${docs}assets/${name}`)}
</head>
<body>
<a class="skip" href="#page">Skip to the page</a>
<header class="bar">
<a class="brand" href="${docs}../docs">Fairlead</a>
<div id="search"></div>
<nav aria-label="Pages">
<ul>
<li><a href="${docs}../docs">Documentation</a></li>
<li><a href="${docs}errors">Errors</a></li>
${hasConsole ? `<li><a href="${docs}../console">Console</a></li>\n` : ''}<li class="small"><a href="#contents">Contents</a></li>
</ul>
</nav>
</header>
<div class="docs">
<main id="page" tabindex="-1">
${html}</main>
<nav id="contents" class="side" aria-label="Contents">
${sideHtml}
</nav>
</div>
</body>
</html>
`;
