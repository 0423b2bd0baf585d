import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../core/json/json.js';

/*
 * The document as a page: plain HTML, printed here. Without any script there is nothing to load, nothing to run, and
 * nothing that a strict policy has to let through but one style sheet, which it names by its hash.
 */

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; }
h2 { margin-top: 3rem; border-bottom: 1px solid; }
article { margin: 2rem 0; }
h3 { font-size: 1rem; margin: 0; }
h4 { font-size: .9rem; margin: 1rem 0 .25rem; }
code, pre { font-family: ui-monospace, monospace; font-size: .875rem; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid; border-radius: .25rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid; }
nav ul { columns: 18rem; list-style: none; padding: 0; }
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Of the page: nothing is fetched, run, sent or framed. */
export const CONTENT_SECURITY_POLICY = [
  `default-src 'none'`,
  `style-src 'sha256-${STYLE_HASH}'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** The page of a document that `buildDocument` made. Every text of it is escaped. */
export function printPage(document: JsonObject): string {
  const info = objectAt(document, 'info');
  const operations = operationsOf(document);
  const chapters = listAt(document, 'tags').map((tag) => {
    const name = textAt(tag, 'name');
    const own = operations.filter(({ operation }) => (operation['tags'] as readonly Json[])[0] === name);
    return { name, description: textAt(tag, 'description'), own };
  });
  const title = `${textAt(info, 'title')} ${textAt(info, 'version')}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}: API</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the operations</a>
<header>
<h1>${escape(title)}</h1>
<p>${prose(textAt(info, 'description'))}</p>
<p>The same for programs: <a href="openapi.json">openapi.json</a>.</p>
<h2 id="addresses">Addresses and keys</h2>
<ul>${listAt(document, 'servers').map(printServer).join('')}</ul>
<ul>${entriesAt(document, 'components', 'securitySchemes').map(printScheme).join('')}</ul>
</header>
<nav aria-label="Operations">
${chapters.map(({ name, own }) => `<h2>${escape(name)}</h2>\n<ul>${own.map(printLink).join('')}</ul>`).join('\n')}
</nav>
<main id="main">
${chapters.map(({ name, description, own }) => `<section>\n<h2>${escape(name)}</h2>\n<p>${prose(description)}</p>\n${own.map(printOperation).join('\n')}\n</section>`).join('\n')}
<section>
<h2>Failures</h2>
${table(['Name', 'Form', 'Meaning'], entriesAt(document, 'components', 'responses').map(printFailure))}
</section>
<section>
<h2>Schemas</h2>
${entriesAt(document, 'components', 'schemas').map(printSchema).join('\n')}
</section>
</main>
</body>
</html>
`;
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
}

const operationsOf = (document: JsonObject): readonly Operation[] =>
  entriesAt(document, 'paths').flatMap(([path, item]) =>
    Object.entries(item as JsonObject).flatMap(([method, operation]) =>
      isJsonObject(operation) ? [{ method: method.toUpperCase(), path, operation }] : [],
    ),
  );

const idOf = ({ operation }: Operation): string => `operation-${textAt(operation, 'operationId')}`;

const table = (headings: readonly string[], rows: readonly string[]): string =>
  `<table><thead><tr>${headings.map((heading) => `<th scope="col">${heading}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;

const printServer = (server: JsonObject): string =>
  `<li><code>${escape(textAt(server, 'url'))}</code> ${prose(textAt(server, 'description'))}</li>`;

const printScheme = ([name, scheme]: [string, Json]): string =>
  `<li><code>${escape(name === 'bearer' ? 'Authorization: Bearer …' : `${textAt(scheme as JsonObject, 'name')}: …`)}</code> ${prose(textAt(scheme as JsonObject, 'description'))}</li>`;

const printLink = (operation: Operation): string =>
  `<li><a href="#${idOf(operation)}"><code>${operation.method} ${escape(operation.path)}</code></a></li>`;

function printOperation(entry: Operation): string {
  const { method, path, operation } = entry;
  const parameters = listAt(operation, 'parameters');
  const body = objectAt(operation, 'requestBody', 'content', 'application/json');
  const replies = entriesAt(operation, 'responses') as [string, JsonObject][];
  return `<article id="${idOf(entry)}">
<h3><code>${method} ${escape(path)}</code> ${escape(textAt(operation, 'summary'))}</h3>
<p>${prose(textAt(operation, 'description'))}</p>
${parameters.length > 0 ? `<h4>Parameters</h4>\n${table(['Name', 'In', 'Form', 'Meaning'], parameters.map(printParameter))}` : ''}
${Object.keys(body).length > 0 ? `<h4>Body</h4>\n<p>${formOf(objectAt(body, 'schema'))}</p>\n${entriesAt(body, 'examples').map(printExample).join('\n')}` : ''}
<h4>Replies</h4>
${table(['Status', 'Form', 'Meaning'], replies.filter(([, reply]) => nameIn(reply) === undefined).map(printReply))}
<p>Failures: ${replies
    .filter(([, reply]) => nameIn(reply) !== undefined)
    .map(printFailureLink)
    .join(', ')}</p>
</article>`;
}

const printParameter = (parameter: JsonObject): string =>
  `<tr><th scope="row"><code>${escape(textAt(parameter, 'name'))}</code></th><td>${escape(textAt(parameter, 'in'))}${parameter['required'] === true ? ', required' : ''}</td><td>${formOf(objectAt(parameter, 'schema'))}</td><td>${prose(textAt(parameter, 'description'))}</td></tr>`;

const printExample = ([name, example]: [string, Json]): string =>
  `<details><summary>Example: ${escape(name)}</summary>${printCode((example as JsonObject)['value'] ?? null)}</details>`;

function printReply([status, reply]: [string, JsonObject]): string {
  const forms = entriesAt(reply, 'content').map(
    ([type, media]) => `<code>${escape(type)}</code>: ${formOf(objectAt(media as JsonObject, 'schema'))}`,
  );
  return `<tr><th scope="row">${escape(status)}</th><td>${forms.join('<br>')}</td><td>${prose(textAt(reply, 'description'))}</td></tr>`;
}

/** A reply that stands among the failures of all operations. */
const printFailureLink = ([status, reply]: [string, JsonObject]): string =>
  `<a href="#failure-${escape(nameIn(reply) ?? '')}">${escape(status)}</a>`;

/** The name of what is referred to. */
const nameIn = (reply: JsonObject): string | undefined =>
  typeof reply['$ref'] === 'string' ? reply['$ref'].split('/').at(-1) : undefined;

const printFailure = ([name, reply]: [string, Json]): string =>
  `<tr id="failure-${escape(name)}"><th scope="row">${escape(name)}</th><td>${formOf(objectAt(reply as JsonObject, 'content', 'application/json', 'schema'))}</td><td>${prose(textAt(reply as JsonObject, 'description'))}</td></tr>`;

const printSchema = ([name, schema]: [string, Json]): string =>
  // The name stands inside, so that a link to it opens what is folded.
  `<details><summary><code>${escape(name)}</code></summary><div id="schema-${escape(name)}">${printCode(schema)}</div></details>`;

const REFERENCE = /#\/components\/schemas\/(\w+)/g;

/** Indented JSON, whose references lead to what they name. */
const printCode = (value: Json): string =>
  `<pre><code>${escape(JSON.stringify(value, null, 2)).replace(REFERENCE, '<a href="#schema-$1">$1</a>')}</code></pre>`;

/** A schema in one line: a link where it has a name, else its own text. */
const formOf = (schema: JsonObject): string =>
  `<code>${escape(JSON.stringify(schema)).replace(REFERENCE, '<a href="#schema-$1">$1</a>')}</code>`;

/** Text with `code` in it. */
const prose = (words: string): string => escape(words).replace(/`([^`]+)`/g, '<code>$1</code>');

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (words: string): string => words.replace(/[&<>"']/g, (character) => ESCAPES[character]!);

const entriesAt = (value: JsonObject, ...keys: readonly string[]): [string, Json][] =>
  Object.entries(objectAt(value, ...keys)) as [string, Json][];

function objectAt(value: JsonObject, ...keys: readonly string[]): JsonObject {
  let found: Json | undefined = value;
  for (const key of keys) found = isJsonObject(found) ? found[key] : undefined;
  return isJsonObject(found) ? found : {};
}

const listAt = (value: JsonObject, key: string): readonly JsonObject[] => (value[key] ?? []) as readonly JsonObject[];

const textAt = (value: JsonObject, key: string): string => (typeof value[key] === 'string' ? value[key] : '');
