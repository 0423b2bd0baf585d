/** The parts of an OpenAPI document that are read here. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface ApiOperation {
  readonly operationId?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}

/** The operations that the console calls. */
export const CONSOLE_OPERATIONS = [
  'accountPreferencesShow',
  'accountPreferencesUpdate',
  'activityList',
  'alarmsCreate',
  'alarmsHistory',
  'alarmsList',
  'alarmsRemove',
  'alarmsShow',
  'alarmsTest',
  'alarmsUpdate',
  'analyticsQuery',
  'assignmentsAssignKeys',
  'assignmentsAssignMembers',
  'assignmentsListKeys',
  'assignmentsListMembers',
  'assignmentsUnassignKeys',
  'assignmentsUnassignMembers',
  'auditList',
  'auditVerify',
  'budgetsList',
  'budgetsRemove',
  'budgetsSet',
  'byokCreate',
  'byokList',
  'byokRemove',
  'byokShow',
  'byokTest',
  'byokUpdate',
  'catalogShow',
  'chatPresetsSave',
  'creditsEnter',
  'creditsList',
  'creditsShow',
  'creditsVerification',
  'destinationsCreate',
  'destinationsList',
  'destinationsRemove',
  'destinationsRotate',
  'destinationsShow',
  'destinationsTest',
  'destinationsUpdate',
  'explainExplain',
  'generationShow',
  'generationsList',
  'guardrailsCreate',
  'guardrailsList',
  'guardrailsRemove',
  'guardrailsShow',
  'guardrailsTest',
  'guardrailsUpdate',
  'keysCreate',
  'keysEndSecret',
  'keysList',
  'keysRaise',
  'keysRemove',
  'keysRotate',
  'keysShow',
  'keysUpdate',
  'membersAdd',
  'membersList',
  'membersRemove',
  'messagesPresetsSave',
  'modelListEndpoints',
  'modelsList',
  'presetsList',
  'presetsListVersions',
  'presetsRemove',
  'presetsShow',
  'presetsUpdate',
  'providersList',
  'responsesPresetsSave',
  'statementsClose',
  'statementsList',
  'statementsShow',
  'subjectBudgetsList',
  'subjectBudgetsRaise',
  'subjectBudgetsRemove',
  'subjectBudgetsSet',
  'subjectBudgetsShow',
  'workspacesCreate',
  'workspacesList',
  'workspacesRemove',
  'workspacesShow',
  'workspacesUpdate',
] as const;

const JSON_TYPE = 'application/json';

/** TypeScript with the queries, bodies and replies of these operations, and the components that they name. */
export function printConsoleTypes(document: ApiDocument, operations: readonly string[]): string {
  const printer = new TypePrinter(document.components.schemas);
  const found = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, one]) => one.operationId !== undefined && operations.includes(one.operationId))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation, id: operation.operationId! })),
  );
  const missing = operations.filter((id) => !found.some((one) => one.id === id));
  if (missing.length > 0) throw new Error(`The description has no operation ${missing.join(', ')}`);
  found.sort((one, other) => (one.id < other.id ? -1 : 1));
  const table = found.map(({ id, method, path }) => `  ${id}: { method: '${method}', path: '${path}' },`);
  const types = found.map(({ id, operation }) => printOperation(id, operation, printer));
  return `${[
    '// Written by `npm run console:types` from the description of the API: do not edit.',
    `/** Where the operations are. */\nexport const OPERATIONS = {\n${table.join('\n')}\n} as const;`,
    `/** What the operations take and answer. */\nexport interface Operations {\n${types.join('\n')}\n}`,
    ...printer.components(),
  ].join('\n\n')}\n`;
}

function printOperation(id: string, operation: ApiOperation, printer: TypePrinter): string {
  const parameters = operation.parameters ?? [];
  const path = parameters.filter((one) => one.in === 'path').map(({ name }) => `${printName(name)}: string`);
  const query = parameters
    .filter((one) => one.in === 'query')
    .map(({ name, schema }) => `${printName(name)}?: ${printer.print(schema)} | undefined`);
  const body = operation.requestBody?.content[JSON_TYPE]?.schema;
  const [, reply] = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))!;
  return `  ${id}: {
    path: ${path.length === 0 ? 'undefined' : `{ ${path.join('; ')} }`};
    query: ${query.length === 0 ? 'undefined' : `{ ${query.join('; ')} }`};
    body: ${body ? printer.print(body) : 'undefined'};
    reply: ${printer.print(reply.content![JSON_TYPE]!.schema)};
  };`;
}

class TypePrinter {
  /** Printed components by name; undefined while one is being printed. */
  private readonly named = new Map<string, string | undefined>();

  constructor(private readonly schemas: Readonly<Record<string, Schema>>) {}

  components(): readonly string[] {
    return [...this.named]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, type]) => `export type ${name} = ${type};`);
  }

  print(schema: Schema): string {
    if (schema.$ref !== undefined) return this.refer(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1));
    if (schema.const !== undefined) return printValue(schema.const);
    if (schema.enum) return schema.enum.map(printValue).join(' | ');
    const cases = schema.anyOf ?? schema.oneOf;
    if (cases) return unionOf(cases.map((one) => this.print(one)));
    if (Array.isArray(schema.type))
      return schema.type.map((type: string) => this.print({ ...schema, type })).join(' | ');
    return this.printSimple(schema);
  }

  private printSimple(schema: Schema): string {
    switch (schema.type) {
      case 'string':
      case 'boolean':
      case 'null':
        return schema.type;
      case 'integer':
      case 'number':
        return 'number';
      case 'array':
        return `readonly (${schema.items ? this.print(schema.items) : 'unknown'})[]`;
      case 'object':
        return this.printObject(schema);
      default:
        return 'unknown';
    }
  }

  private printObject({ properties, required = [], additionalProperties, patternProperties }: Schema): string {
    if (!properties || Object.keys(properties).length === 0) {
      const others = patternProperties ? Object.values(patternProperties)[0] : additionalProperties;
      return `Readonly<Record<string, ${typeof others === 'object' ? this.print(others) : 'unknown'}>>`;
    }
    const fields = Object.entries(properties).map(
      ([name, schema]) => `readonly ${printName(name)}${required.includes(name) ? '' : '?'}: ${this.print(schema)}`,
    );
    return `{ ${fields.join('; ')} }`;
  }

  private refer(name: string): string {
    const typeName = name.replaceAll(/(?:^|[-_. ])(\w)/g, (_, letter: string) => letter.toUpperCase());
    if (!this.named.has(typeName)) {
      this.named.set(typeName, undefined);
      this.named.set(typeName, this.print(this.schemas[name]!));
    }
    return typeName;
  }
}

const printName = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`);

const printValue = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));

/** Any value is a case of `unknown`. */
const unionOf = (types: readonly string[]): string =>
  types.includes('unknown') ? 'unknown' : [...new Set(types)].join(' | ');
