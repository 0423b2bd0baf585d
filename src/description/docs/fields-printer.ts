import { escapeHtml, printWords } from './html.js';
import { boundsOf, nameIn, type Schema, type SchemaWords } from './schema-words.js';

/** A field that a page has an anchor for. */
export interface PrintedField {
  readonly anchor: string;
  readonly name: string;
  readonly meaning: string;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Row {
  readonly anchor: string;
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
  readonly meaning: string;
}

interface Inside {
  readonly html: string;
  /** Whether it is only a link to where the form is printed. */
  readonly isLink: boolean;
}

/**
 * Prints the fields of one page as lists, folded by depth. Each has an anchor; a named form is printed once; other
 * occurrences of it, as within itself, are links.
 */
export class FieldsPrinter {
  readonly printed: PrintedField[] = [];
  private readonly anchors = new Set<string>();
  private readonly named = new Set<string>();

  constructor(private readonly words: SchemaWords) {}

  /** The fields of a body or a reply. @param anchor what their anchors begin with */
  fields(schema: Schema, anchor: string): string {
    const name = nameIn(schema);
    if (name !== undefined) this.named.add(name);
    const { html } = this.inside(name === undefined ? schema : this.words.follow(schema), anchor);
    return name === undefined ? html : `<div id="${this.formAnchor(name)}">${html}</div>`;
  }

  parameters(parameters: readonly Parameter[]): string {
    return list(
      parameters.map(({ name, in: anchor, required = false, description = '', schema }) =>
        this.row({ anchor: `${anchor}.${name}`, name, isRequired: required, schema, meaning: description }),
      ),
    );
  }

  private inside(schema: Schema, anchor: string): Inside {
    const name = nameIn(schema);
    if (name !== undefined) return this.namedForm(schema, name);
    const forms = this.words.formsOf(schema).filter((form) => this.words.hasFields(form));
    if (forms.length > 1) return { html: forms.map((form) => this.folded(form, anchor)).join('\n'), isLink: false };
    if (forms.length === 1 && forms[0] !== schema) return this.inside(forms[0]!, anchor);
    const { properties, items, additionalProperties: further, required } = schema;
    if (!properties && items) return this.inside(items, anchor);
    if (!properties && typeof further === 'object') return this.inside(further, anchor);
    const rows = Object.entries(properties ?? {}).map(([field, property]) =>
      this.row({
        anchor: `${anchor}.${field}`,
        name: field,
        isRequired: required?.includes(field) ?? false,
        schema: property,
        meaning: property.description ?? '',
      }),
    );
    return { html: list(rows), isLink: false };
  }

  private namedForm(schema: Schema, name: string): Inside {
    const anchor = this.formAnchor(name);
    if (this.named.has(name)) return { html: `<p><a href="#${anchor}">Fields of ${name}</a></p>`, isLink: true };
    this.named.add(name);
    return { html: `<div id="${anchor}">${this.inside(this.words.follow(schema), name).html}</div>`, isLink: false };
  }

  /** An alternative of a field, folded. */
  private folded(schema: Schema, anchor: string): string {
    const { html, isLink } = this.inside(schema, anchor);
    return isLink ? html : `<details><summary>${escapeHtml(this.words.wordsFor(schema))}</summary>\n${html}</details>`;
  }

  private row({ anchor: wanted, name, isRequired, schema, meaning }: Row): string {
    const anchor = this.newAnchor(wanted);
    this.printed.push({ anchor, name, meaning });
    const bounds = boundsOf(schema);
    return `<li id="${anchor}"><p><a class="anchor" href="#${anchor}"><code>${escapeHtml(name)}</code></a> <span class="form">${escapeHtml(
      this.words.wordsFor(schema),
    )}</span>${isRequired ? ' <strong>required</strong>' : ''}</p>
<p>${[printWords(meaning), bounds && `<span class="hint">${bounds}</span>`].filter(Boolean).join(' ')}</p>
${this.below(name, schema, anchor)}</li>`;
  }

  private below(name: string, schema: Schema, anchor: string): string {
    if (!this.words.hasFields(schema)) return '';
    const { html, isLink } = this.inside(schema, anchor);
    return isLink
      ? html
      : `<details><summary>Fields of <code>${escapeHtml(name)}</code></summary>\n${html}</details>\n`;
  }

  private formAnchor(name: string): string {
    return `form.${name}`;
  }

  /** Alternatives have fields of one name. */
  private newAnchor(wanted: string): string {
    let anchor = wanted;
    for (let count = 2; this.anchors.has(anchor); count++) anchor = `${wanted}-${count}`;
    this.anchors.add(anchor);
    return escapeHtml(anchor).replaceAll(' ', '_');
  }
}

const list = (rows: readonly string[]): string =>
  rows.length === 0 ? '' : `<ul class="members">\n${rows.join('\n')}\n</ul>\n`;
