/*
 * Sets up the viewer on the page that docs-page.ts prints. By the means which it offers for that, it gets: a page with
 * one place for the key and one for the search, tables of fields for its trees of schemas, and a curl line before
 * anything is sent. References are followed where a table is opened: to resolve all of an operation's at once, as the
 * viewer does by itself, takes seconds. The key is kept in the memory of the page alone, and no line prints it.
 */
(() => {
  const root = document.getElementById('reference');

  /** Variables of a shell that hold a key, by the kind that an operation takes. */
  const VARIABLES = { management: 'FAIRLEAD_MANAGEMENT_KEY', inference: 'FAIRLEAD_API_KEY' };
  const variableFor = (operation) => VARIABLES[operation?.['x-key-kind']] ?? VARIABLES.inference;

  /** What a document has at a reference, which is always one within it. */
  const at = (description, reference) =>
    reference
      .slice('#/'.length)
      .split('/')
      .reduce((value, key) => value?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], description);
  const followed = (description, value) => (value?.$ref ? followed(description, at(description, value.$ref)) : value);
  const nameIn = ({ $ref }) => $ref?.split('/').at(-1);

  /** Takes the place of the viewer's own: replies are followed, schemas stay references. */
  async function resolveSubtree(description, path) {
    const found = path.reduce((value, key) => value?.[key], description);
    const responses = Object.entries(found?.responses ?? {}).map(([status, reply]) => [
      status,
      followed(description, reply),
    ]);
    return { errors: [], spec: found?.responses ? { ...found, responses: Object.fromEntries(responses) } : found };
  }

  /**
   * Empties the secrets of all examples: what the page fills a body with must not be stored as it is. The API refuses
   * an empty one by name.
   */
  function withoutSecrets(description) {
    const bodies = Object.values(description.paths ?? {})
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ requestBody }) => requestBody?.content?.['application/json'] ?? []);
    for (const { schema, examples = {} } of bodies) {
      const fields = Object.entries(followed(description, schema)?.properties ?? {});
      const secrets = fields.filter(([, field]) => followed(description, field).writeOnly).map(([name]) => name);
      for (const { value } of Object.values(examples)) for (const name of secrets) if (name in value) value[name] = '';
    }
    return description;
  }

  /** The viewer keeps the document as immutable maps. */
  let [kept, plain] = [];
  function documentOf({ specSelectors }) {
    const json = specSelectors.specJson();
    if (json !== kept) [kept, plain] = [json, json.toJS()];
    return plain;
  }

  /* Search: every word of it stands somewhere in what an operation is called, or in the name of one of its fields. */

  function searchableText(description, tag, path, method, operation) {
    const { summary, description: words, operationId, parameters = [], requestBody } = operation;
    const body = followed(description, requestBody?.content?.['application/json']?.schema) ?? {};
    const fields = [body, ...(body.anyOf ?? [])].flatMap((form) =>
      Object.keys(followed(description, form)?.properties ?? {}),
    );
    return [tag, method, path, summary, words, operationId, ...parameters.map(({ name }) => name), ...fields]
      .join(' ')
      .toLowerCase();
  }

  const searching = (system) => (taggedOperations, phrase) => {
    const words = phrase.toLowerCase().split(/\s+/);
    const description = documentOf(system.getSystem());
    return taggedOperations
      .map((group, tag) =>
        group.update('operations', (operations) =>
          operations.filter((one) => {
            const [path, method] = [one.get('path'), one.get('method')];
            const text = searchableText(description, tag, path, method, description.paths[path][method]);
            return words.every((word) => text.includes(word));
          }),
        ),
      )
      .filter((group) => group.get('operations').size > 0);
  };

  /* The guide: its pages, and, while something is searched, the sections that have all words of it. */

  const SECTIONS_MAX = 20;
  const guideAddress = new URL(root.dataset.guide, location.href);
  /** Without it the reference is whole. */
  const loadGuide = () =>
    fetch(guideAddress)
      .then((reply) => (reply.ok ? reply.json() : []))
      .catch(() => []);
  const guideLink = (name, anchor) => new URL(`use/${name}${anchor ? `#${anchor}` : ''}`, guideAddress).href;

  function sectionsWith(guide, phrase) {
    const words = phrase.toLowerCase().split(/\s+/);
    return guide.flatMap(({ name, title, sections }) =>
      sections
        .filter(({ text }) => words.every((word) => `${title} ${text}`.toLowerCase().includes(word)))
        .map(({ anchor, heading }) => ({
          href: guideLink(name, anchor),
          text: heading === title ? title : `${title}: ${heading}`,
        })),
    );
  }

  /* Forms of values, in words. */

  /** The forms that a value may have, as a flat list; `null` is described separately. */
  function formsOf(description, schema) {
    const form = followed(description, schema);
    const alternatives = form.anyOf ?? form.oneOf ?? (form.if && [form.then ?? {}, form.else ?? {}]);
    return alternatives ? alternatives.flatMap((one) => formsOf(description, one)) : [schema];
  }

  const TYPE_WORDS = { array: 'list', object: 'object', integer: 'whole number' };

  function wordsFor(description, schema) {
    if (schema.$ref) return nameIn(schema);
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
    if (schema.not) return 'nothing';
    if (schema.anyOf ?? schema.oneOf ?? schema.if) {
      const words = [...new Set(formsOf(description, schema).map((form) => wordsFor(description, form)))];
      return words.length > 4 ? `one of ${words.length} forms` : words.join(' or ');
    }
    const types = [schema.type ?? []].flat();
    if (types.length === 0) return 'anything';
    return types.map((type) => wordsForType(description, schema, type)).join(' or ');
  }

  function wordsForType(description, schema, type) {
    if (type === 'array' && schema.items) return `list of ${wordsFor(description, schema.items)}`;
    if (type !== 'object') return TYPE_WORDS[type] ?? type;
    const [[name, { const: value }] = [undefined, {}]] = constantsOf(schema);
    return name === undefined ? 'object' : `${name} ${JSON.stringify(value)}`;
  }

  /** The constant members that distinguish the objects of a union. */
  const constantsOf = (schema) => Object.entries(schema.properties ?? {}).filter(([, one]) => one.const !== undefined);

  const span = (least, most, unit) => {
    const shown = most === undefined || most >= Number.MAX_SAFE_INTEGER ? undefined : most.toLocaleString('en');
    if (least && shown) return `${least.toLocaleString('en')} to ${shown}${unit}`;
    if (least) return `${least.toLocaleString('en')}${unit} or more`;
    return shown && `at most ${shown}${unit}`;
  };

  const boundsOf = (schema) =>
    [
      span(schema.minLength, schema.maxLength, ' characters'),
      schema.minimum === 0 && schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER
        ? `0 to ${schema.maximum.toLocaleString('en')}`
        : schema.minimum === 0
          ? '0 or more'
          : span(schema.minimum, schema.maximum, ''),
      span(schema.minItems, schema.maxItems, ' entries'),
      span(schema.minProperties, schema.maxProperties, ' keys'),
    ].filter(Boolean);

  /* Components of the viewer. `h` makes their elements. */

  const plugin = (system) => {
    const { createElement: h, useEffect, useState } = system.React;

    /** What is inside is made when it is opened. */
    function Details({ summary, isOpen = false, inside }) {
      const [open, setOpen] = useState(isOpen);
      return h(
        'details',
        { open, onToggle: ({ currentTarget }) => setOpen(currentTarget.open) },
        h('summary', null, summary),
        open && inside(),
      );
    }

    const Words = ({ source }) => source && h(system.getComponent('Markdown', true), { source });

    /** Whatever there is to open of a value: its fields, or those of its entries or alternatives. */
    function Inside({ description, schema }) {
      const form = followed(description, schema);
      const forms = formsOf(description, schema).filter((one) => hasInside(description, one));
      if (forms.length > 1)
        return forms.map((one, index) =>
          h(Details, {
            key: index,
            summary: h('code', null, wordsFor(description, one)),
            inside: () => h(Inside, { description, schema: one }),
          }),
        );
      if (forms.length === 1 && forms[0] !== schema) return h(Inside, { description, schema: forms[0] });
      if (form.items) return h(Inside, { description, schema: form.items });
      if (typeof form.additionalProperties === 'object')
        return h(Inside, { description, schema: form.additionalProperties });
      return h(Fields, { description, form });
    }

    function hasInside(description, schema) {
      const form = followed(description, schema);
      if (form.properties) return Object.keys(form.properties).length > 0;
      if (form.anyOf ?? form.oneOf ?? form.if)
        return formsOf(description, schema).some((one) => hasInside(description, one));
      const inner = form.items ?? form.additionalProperties;
      return typeof inner === 'object' && hasInside(description, inner);
    }

    const Fields = ({ description, form }) =>
      h(
        'table',
        { className: 'fields' },
        h(
          'thead',
          null,
          h(
            'tr',
            null,
            ['Field', 'Form', 'Meaning'].map((name) => h('th', { key: name }, name)),
          ),
        ),
        h(
          'tbody',
          null,
          Object.entries(form.properties ?? {}).flatMap(([name, schema]) =>
            rowsOf(description, name, schema, form.required?.includes(name)),
          ),
        ),
      );

    const rowsOf = (description, name, schema, isRequired) => [
      h(
        'tr',
        { key: name },
        h('td', null, h('code', null, name), isRequired && h('small', null, ' required')),
        h('td', null, wordsFor(description, schema)),
        h('td', null, h(Words, { source: schema.description }), boundsOf(schema).join(', ')),
      ),
      hasInside(description, schema) &&
        h(
          'tr',
          { key: `${name} inside`, className: 'inside' },
          h(
            'td',
            { colSpan: 3 },
            h(Details, {
              summary: h('span', null, 'Fields of ', h('code', null, name)),
              inside: () => h(Inside, { description, schema }),
            }),
          ),
        ),
    ];

    /** Of a body: what is sent, and under it what can be sent. */
    const modelExample = ({ example, schema }) => {
      const description = documentOf(system.getSystem());
      const form = schema.toJS?.() ?? schema;
      return h(
        'div',
        null,
        example,
        hasInside(description, form) && h('h4', null, 'Fields'),
        hasInside(description, form) && h(Inside, { description, schema: form }),
      );
    };

    /** Quotes for a shell: a single quote in the text ends the quotation. */
    const quoted = (words) => `'${words.replaceAll("'", `'\\''`)}'`;

    const curlOf = ({ operation, method, url, headers, body }) =>
      [
        `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
        ...headers.map(([name, value]) =>
          name.toLowerCase() === 'authorization'
            ? `-H "authorization: Bearer $${variableFor(operation)}"`
            : `-H ${quoted(`${name.toLowerCase()}: ${value}`)}`,
        ),
        ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
      ].join(' \\\n  ');

    const Curl = ({ line }) =>
      h('div', { className: 'curl-command' }, h('h4', null, 'curl'), h('pre', { className: 'curl' }, line));

    /** The operation that a request was sent for. */
    function operationOf(description, method, url) {
      const { pathname } = new URL(url, location.href);
      const found = Object.entries(description.paths).filter(([path, item]) =>
        (item.servers ?? description.servers).some((server) =>
          new RegExp(
            `^${new URL(addressOf(server)).pathname.replace(/\/$/, '')}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`,
          ).test(pathname),
        ),
      );
      // A path without places for values is meant where both fit.
      const [, item] = found.sort(([one], [other]) => one.split('{').length - other.split('{').length)[0] ?? [];
      return item?.[method.toLowerCase()];
    }

    /** What was sent. */
    const curl = ({ request }) => {
      const body = request.get('body');
      const [method, url] = [request.get('method'), request.get('url')];
      return h(Curl, {
        line: curlOf({
          operation: operationOf(documentOf(system.getSystem()), method, url),
          method,
          url,
          headers: [...request.get('headers').entries()],
          body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body.toJS?.() ?? body),
        }),
      });
    };

    /** What would be sent by the first example. */
    function exampleLine(description, path, method) {
      const operation = description.paths[path][method];
      const { requestBody, security, parameters = [] } = operation;
      const [server] = description.paths[path].servers ?? description.servers;
      const [example] = Object.values(requestBody?.content['application/json'].examples ?? {});
      const query = parameters.filter((one) => one.in === 'query' && one.required).map(({ name }) => `${name}=…`);
      return curlOf({
        operation,
        method: method.toUpperCase(),
        url: `${addressOf(server)}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`,
        headers: [
          ...(security.length > 0 ? [['authorization', '']] : []),
          ...(example ? [['content-type', 'application/json']] : []),
        ],
        body: example && JSON.stringify(example.value),
      });
    }

    const addressOf = ({ url }) => new URL(url, location.href).href.replace(/\/$/, '');

    const responses = ({ responses: replies, tryItOutResponse: response, path, method, ...others }) => {
      const description = documentOf(system.getSystem());
      const LiveResponse = system.getComponent('liveResponse');
      return h(
        'div',
        { className: 'responses-wrapper' },
        h(
          'div',
          { className: 'opblock-section-header' },
          h('h4', null, response ? 'Response' : 'Request and responses'),
        ),
        h(
          'div',
          { className: 'responses-inner' },
          response
            ? h(LiveResponse, { ...others, response, path, method })
            : h(Curl, { line: exampleLine(description, path, method) }),
          h('h4', null, 'Responses'),
          h(
            'table',
            { className: 'fields replies' },
            h(
              'thead',
              null,
              h(
                'tr',
                null,
                ['Status', 'Meaning'].map((name) => h('th', { key: name }, name)),
              ),
            ),
            h(
              'tbody',
              null,
              Object.entries(replies.toJS()).map(([status, reply]) =>
                h(
                  'tr',
                  { key: status },
                  h('td', null, h('code', null, status)),
                  h('td', null, meaningOf(description, status, reply)),
                ),
              ),
            ),
          ),
        ),
      );
    };

    const meaningOf = (description, status, { description: words, headers = {}, content = {} }) => [
      h(Words, { key: 'words', source: words }),
      ...Object.entries(headers).map(([name, header]) =>
        h('p', { key: name }, h('code', null, name), `: ${header.description}`),
      ),
      ...Object.entries(content)
        .filter(([, { schema }]) => hasInside(description, schema))
        .map(([type, { schema }]) =>
          h(Details, {
            key: type,
            summary: h('span', null, h('code', null, type), ` ${wordsFor(description, schema)}`),
            isOpen: status.startsWith('2') && type === 'application/json',
            inside: () => h(Inside, { description, schema }),
          }),
        ),
    ];

    /** What deletes is sent after a question: a click on the button goes no further where the answer is no. */
    const guarded = (Execute) => (props) =>
      props.method?.toLowerCase() !== 'delete'
        ? h(Execute, props)
        : h(
            'div',
            {
              className: 'guarded',
              onClickCapture: (event) => {
                if (confirm(`Send DELETE ${props.path}? What it deletes cannot be restored.`)) return;
                event.preventDefault();
                event.stopPropagation();
              },
            },
            h(Execute, props),
          );

    /** Sent as the bearer of every try, and forgotten with the page. */
    const KeyField = ({ authActions }) =>
      h(
        'label',
        null,
        h('span', null, 'Your key'),
        h('input', {
          type: 'password',
          autoComplete: 'off',
          spellCheck: false,
          placeholder: 'not stored',
          onChange: ({ target }) => {
            const value = target.value.trim();
            const schema = { type: 'http', scheme: 'bearer' };
            if (value === '') authActions.logout(['bearer']);
            else authActions.authorize({ bearer: { name: 'bearer', schema, value } });
          },
        }),
      );

    const SearchField = ({ layoutActions, layoutSelectors }) =>
      h(
        'label',
        null,
        h('span', null, 'Search'),
        h('input', {
          type: 'search',
          placeholder: 'path, word or field',
          value: layoutSelectors.currentFilter() || '',
          onChange: ({ target }) => layoutActions.updateFilter(target.value),
        }),
      );

    /** Pages of docs/use beside the reference, found by the same words. */
    function Guide({ phrase }) {
      const [guide, setGuide] = useState([]);
      useEffect(() => void loadGuide().then(setGuide), []);
      if (guide.length === 0) return null;
      const links =
        phrase === ''
          ? guide.map(({ name, title }) => ({ href: guideLink(name), text: title }))
          : sectionsWith(guide, phrase);
      return h(
        'nav',
        { className: 'guide', 'aria-label': 'Guide' },
        h(Details, {
          // A search opens it.
          key: phrase === '' ? 'pages' : 'sections',
          summary: phrase === '' ? 'Guide' : `Guide: ${links.length} ${links.length === 1 ? 'section' : 'sections'}`,
          isOpen: phrase !== '',
          inside: () =>
            h(
              'ul',
              null,
              links
                .slice(0, phrase === '' ? links.length : SECTIONS_MAX)
                .map(({ href, text }) => h('li', { key: href }, h('a', { href }, text))),
            ),
        }),
      );
    }

    const foundWords = (count, phrase) =>
      count === 0
        ? `Nothing was found: no operation has all words of “${phrase}”.`
        : `${count} ${count === 1 ? 'operation' : 'operations'} found.`;

    function ReferenceLayout(props) {
      const { specSelectors, getComponent } = props;
      const status = specSelectors.loadingStatus();
      if (status === 'failed') return h('p', null, 'The description could not be loaded.');
      if (!specSelectors.specJson().get('info')) return h('p', null, 'Loading the reference …');
      const description = documentOf(props);
      const { title, version, description: words } = description.info;
      const phrase = (props.layoutSelectors.currentFilter() || '').trim();
      const count = specSelectors.taggedOperations().reduce((sum, group) => sum + group.get('operations').size, 0);
      return h(
        'div',
        { className: 'swagger-ui' },
        h(getComponent('SvgAssets')),
        h(
          'header',
          { className: 'wrapper' },
          h('h1', null, title, ' ', h('small', null, `API ${version}`)),
          h(Words, { source: words }),
          h(
            'p',
            null,
            'Base address: ',
            h('code', null, addressOf(description.servers[0])),
            '. For programs: ',
            h('a', { href: root.dataset.description }, 'openapi.json'),
            '.',
          ),
        ),
        h(
          'div',
          { className: 'inputs' },
          h('div', { className: 'wrapper' }, h(SearchField, props), h(KeyField, props)),
        ),
        h(
          'main',
          { className: 'wrapper' },
          // Always present, so that changes in it are announced.
          h('p', { role: 'status' }, phrase === '' ? '' : foundWords(count, phrase)),
          h(Guide, { phrase }),
          count > 0 && h(getComponent('operations', true)),
        ),
      );
    }

    return {
      fn: { resolveSubtree, opsFilter: searching(system) },
      statePlugins: {
        spec: { wrapActions: { updateJsonSpec: (update) => (description) => update(withoutSecrets(description)) } },
      },
      components: {
        ReferenceLayout,
        modelExample,
        responses,
        curl,
        // The key has its one place.
        authorizeOperationBtn: () => null,
      },
      wrapComponents: { execute: guarded },
    };
  };

  /* Names for those who hear the page: of buttons that show a picture alone, and of fields without a label. */

  const FIELD_NAMES = { 'body-param__text': 'Body of the request', 'examples-select-element': 'Example' };

  function nameControls() {
    for (const button of root.querySelectorAll('.expand-operation')) {
      const chapter = button.closest('.opblock-tag')?.dataset.tag ?? '';
      setName(button, `${button.title.split(' ')[0]} ${chapter}`);
    }
    for (const field of root.querySelectorAll('input, select, textarea')) {
      if (field.labels.length > 0 || field.title !== '') continue;
      const parameter = field.closest('[data-param-name]')?.dataset.paramName;
      const [, name] = Object.entries(FIELD_NAMES).find(([place]) => field.classList.contains(place)) ?? [];
      setName(field, parameter ?? name ?? field.placeholder);
    }
  }
  /** What is the same is not written again: it would be observed. */
  const setName = (element, name) => {
    if (name && element.getAttribute('aria-label') !== name) element.setAttribute('aria-label', name);
  };
  new MutationObserver(nameControls).observe(root, { childList: true, subtree: true, attributeFilter: ['title'] });

  SwaggerUIBundle({
    url: new URL(root.dataset.description, location.href).href,
    domNode: root,
    layout: 'ReferenceLayout',
    plugins: [plugin],
    docExpansion: 'list',
    deepLinking: true,
    tryItOutEnabled: true,
    // Nothing is kept, and no other server validates the document.
    persistAuthorization: false,
    validatorUrl: null,
  });
})();
