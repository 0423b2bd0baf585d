import { LANGUAGES, outlineOf, PRINTERS, withoutSecrets, type ExampleRequest } from './examples.js';
import { FieldsPrinter, type PrintedField } from './fields-printer.js';
import { escapeHtml, printWords } from './html.js';
import type { BodyOwners, DocumentReply, Operation } from './operations.js';
import { nameIn, type Schema, type SchemaWords } from './schema-words.js';

const JSON_TYPE = 'application/json';
/** Variables of a shell that hold a key, by the kind that an operation takes. */
const VARIABLES = { management: 'FAIRLEAD_MANAGEMENT_KEY', inference: 'FAIRLEAD_API_KEY' } as const;

/** The page of an operation, and its searchable texts. */
export interface OperationPage {
  readonly html: string;
  readonly fields: readonly PrintedField[];
}

/** An example, the request beside its reply, a form to try it, and every field. */
export function printOperation(words: SchemaWords, owners: BodyOwners, operation: Operation): OperationPage {
  const printer = new FieldsPrinter(words);
  const { method, path, server, summary, description = '', operationId } = operation;
  const examples = examplesOf(words, operation);
  const [example] = Object.values(examples);
  const html = `<h1 tabindex="-1">${printWords(summary)}</h1>
<p><code class="route">${method} ${escapeHtml(server + path)}</code></p>
<p>${printWords(description)}</p>
<div class="pair">
<section aria-labelledby="request">
<h2 id="request">Request</h2>
${printCode({ method, path: exampleAddress(operation), variable: variableOf(operation), body: example })}</section>
<section aria-labelledby="reply">
<h2 id="reply">Reply</h2>
${printOutline(words, operation)}</section>
</div>
<div id="try" data-operation="${escapeHtml(JSON.stringify(tryOf(operation, examples)))}"></div>
<div class="pair">
<div>${printInputs(printer, owners, operation)}</div>
<div>${printReplies(words, printer, operation)}</div>
</div>
<p class="hint">Operation <code>${operationId}</code> of <a href="../../openapi.json">openapi.json</a>.</p>
`;
  return { html, fields: printer.printed };
}

function examplesOf(words: SchemaWords, { requestBody }: Operation): Readonly<Record<string, ExampleRequest['body']>> {
  const { schema = {}, examples = {} } = requestBody?.content[JSON_TYPE] ?? {};
  return Object.fromEntries(
    Object.entries(examples).map(([name, { value }]) => [name, withoutSecrets(words, schema, value)]),
  );
}

const variableOf = ({ security, 'x-key-kind': kind = 'inference' }: Operation): string | undefined =>
  security.length === 0 ? undefined : VARIABLES[kind];

/** Address of an example, with the parameters that it must have. */
function exampleAddress({ server, path, parameters = [] }: Operation): string {
  const required = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=…`);
  return `${server}${path}${required.length > 0 ? `?${required.join('&')}` : ''}`;
}

/** One language is open at a time. */
const printCode = (request: ExampleRequest): string =>
  LANGUAGES.map(
    (language, index) => `<details name="language"${index === 0 ? ' open' : ''}><summary>${language}</summary>
<pre data-copy tabindex="0" aria-label="${language}">${escapeHtml(PRINTERS[language](request))}</pre></details>
`,
  ).join('');

function successOf({ responses }: Operation): readonly [status: string, reply: DocumentReply] {
  const [first] = Object.entries(responses);
  return first!;
}

function printOutline(words: SchemaWords, operation: Operation): string {
  const [status, { content = {} }] = successOf(operation);
  const { schema } = content[JSON_TYPE] ?? {};
  const types = Object.keys(content).map((type) => `<code>${escapeHtml(type)}</code>`);
  const outline = schema && words.hasFields(schema) ? JSON.stringify(outlineOf(words, schema), null, 2) : '';
  return `<p><code>${status}</code> ${types.join(', ')}</p>
${outline === '' ? '' : `<pre tabindex="0" aria-label="Outline of the reply">${escapeHtml(outline)}</pre>\n`}`;
}

function printInputs(printer: FieldsPrinter, owners: BodyOwners, operation: Operation): string {
  const { parameters = [], requestBody } = operation;
  const body = requestBody?.content[JSON_TYPE]?.schema;
  const parts = [
    ...(['path', 'query', 'header'] as const).map((location) => {
      const own = parameters.filter((parameter) => parameter.in === location);
      return own.length === 0 ? '' : section(PARTS[location], location, printer.parameters(own));
    }),
    body === undefined ? '' : section('Body', 'body', printBody(printer, owners, operation, body)),
  ].filter((part) => part !== '');
  return parts.length === 0
    ? section('Body', 'body', '<p class="none">It takes neither parameters nor a body.</p>')
    : parts.join('\n');
}

/** Prints the fields of the body; if every form of it is the body of another operation, links to those operations. */
function printBody(printer: FieldsPrinter, owners: BodyOwners, operation: Operation, body: Schema): string {
  const others = (body.anyOf ?? [body]).map((form) => owners.get(nameIn(form) ?? ''));
  if (others.some((owner) => owner === undefined || owner.operationId === operation.operationId))
    return printer.fields(body, 'body');
  return others
    .map(
      (owner) => `<p>The body of <a href="${owner!.operationId}#part-body">${owner!.method} ${owner!.path}</a></p>\n`,
    )
    .join('');
}

const PARTS = { path: 'In the path', query: 'In the query', header: 'Headers' } as const;

const section = (title: string, id: string, html: string): string =>
  `<section aria-labelledby="part-${id}">\n<h2 id="part-${id}">${title}</h2>\n${html}</section>`;

function printReplies(words: SchemaWords, printer: FieldsPrinter, operation: Operation): string {
  const [successStatus] = successOf(operation);
  const replies = Object.entries(operation.responses).map(([status, reply]) => [status, words.follow(reply)] as const);
  const fields = replies
    .filter(([status]) => status === successStatus || status === 'default')
    .flatMap(([status, { content = {} }]) =>
      Object.entries(content)
        .filter(([, { schema }]) => words.hasFields(schema))
        .map(([type, { schema }]) => {
          const isError = status === 'default';
          const [title, location] = isError
            ? ['Fields of an error', 'error']
            : type === JSON_TYPE
              ? [`Fields of the reply`, 'reply']
              : [`Fields of ${type}`, 'event'];
          return `<details${isError || location === 'event' ? '' : ' open'}><summary>${title}</summary>\n${printer.fields(schema, location)}</details>`;
        }),
    );
  const rows = replies.map(
    ([status, { description = '', headers = {} }]) =>
      `<li id="status.${status}"><p><a class="anchor" href="#status.${status}"><code>${status}</code></a> ${printWords(description)}${
        Number(status) >= 400
          ? ` <a href="../errors#status-${status}">Kinds<span class="unseen"> of errors with ${status}</span></a>`
          : ''
      }</p>
${Object.entries(headers)
  .map(([name, header]) => `<p class="hint"><code>${escapeHtml(name)}</code>: ${printWords(header.description)}</p>\n`)
  .join('')}</li>`,
  );
  return `${section('Fields of replies', 'replies', fields.join('\n') || '<p class="none">A text.</p>')}
${section('Statuses', 'statuses', `<ul class="members">\n${rows.join('\n')}\n</ul>\n`)}`;
}

/** The data from which the program of the page makes its form. */
const tryOf = (
  { method, path, server, security, parameters = [], responses }: Operation,
  examples: Readonly<Record<string, ExampleRequest['body']>>,
): object => ({
  method,
  path: server + path,
  needsKey: security.length > 0,
  parameters: parameters.map(({ name, in: location, required = false, schema }) => ({
    name,
    in: location,
    required,
    ...(schema.enum && { options: schema.enum }),
  })),
  examples,
  streams: Object.values(responses).some(({ content = {} }) => 'text/event-stream' in content),
});
