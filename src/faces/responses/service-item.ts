import { isJsonObject, parseJson, type Json, type JsonObject } from '../../core/json/json.js';
import type { OutputItemRef, ItemStatus } from './item-sink.js';

/** The form in which the use of a tool by the gateway or the vendor is sent. */
interface ServiceForm {
  readonly type: string;
  /** What its item has besides type, id and status. */
  readonly view: (input: JsonObject, content: Json) => JsonObject;
}

const textAt = (value: Json | undefined, key: string): string | undefined => {
  const text = isJsonObject(value) ? value[key] : undefined;
  return typeof text === 'string' ? text : undefined;
};

const defined = (fields: Record<string, Json | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Why a use failed. */
const errorIn = (content: Json): string | undefined => textAt(content, 'error') ?? textAt(content, 'error_code');

const SEARCH: ServiceForm = {
  type: 'web_search_call',
  view: (input, content) => {
    const query = textAt(input, 'query') ?? '';
    const urls = Array.isArray(content) ? (content as readonly Json[]).map((page) => textAt(page, 'url')) : [];
    const sources = urls.flatMap((url) => (url === undefined ? [] : [{ type: 'url', url }]));
    return { action: { type: 'search', query, queries: [query], ...(sources.length > 0 && { sources }) } };
  },
};

/** By the name by which models know the tool. A vendor's tool without an entry has no item. */
const FORMS: ReadonlyMap<string, ServiceForm> = new Map<string, ServiceForm>([
  ['web_search', SEARCH],
  [
    'web_fetch',
    {
      type: 'openrouter:web_fetch',
      view: (input, content) => {
        const document = isJsonObject(content) ? content['content'] : undefined;
        const source = isJsonObject(document) ? document['source'] : undefined;
        return defined({
          url: textAt(content, 'url') ?? textAt(input, 'url'),
          title: textAt(document, 'title'),
          content: textAt(source, 'data'),
          error: errorIn(content),
        });
      },
    },
  ],
  [
    'datetime',
    {
      type: 'openrouter:datetime',
      view: (_input, content) => ({
        datetime: textAt(content, 'datetime') ?? '',
        timezone: textAt(content, 'timezone') ?? '',
      }),
    },
  ],
  [
    'search_models',
    {
      type: 'openrouter:experimental__search_models',
      view: (input) => ({ query: textAt(input, 'query') ?? '', arguments: JSON.stringify(input) }),
    },
  ],
  [
    'generate_image',
    {
      type: 'openrouter:image_generation',
      view: (input, content) =>
        defined({
          prompt: textAt(input, 'prompt'),
          imageUrl: textAt(content, 'imageUrl'),
          error: errorIn(content),
        }),
    },
  ],
  [
    'advisor',
    {
      type: 'openrouter:advisor',
      view: (input, content) =>
        defined({
          prompt: textAt(input, 'question') ?? textAt(input, 'prompt'),
          advice: textAt(content, 'text'),
          error: errorIn(content),
        }),
    },
  ],
  [
    'bash',
    {
      type: 'openrouter:bash',
      view: (input, content) =>
        defined({
          command: textAt(input, 'command'),
          stdout: textAt(content, 'stdout'),
          stderr: textAt(content, 'stderr'),
          exitCode: isJsonObject(content) ? content['return_code'] : undefined,
        }),
    },
  ],
]);

export const serviceForm = (name: string): ServiceForm | undefined => FORMS.get(name);

/** A use of a tool that the gateway or the vendor runs. Its result comes in a later block. */
export class ServiceItem {
  private json = '';

  constructor(
    private readonly ref: OutputItemRef,
    private readonly form: ServiceForm,
  ) {
    ref.add(this.view('in_progress', null));
    if (form === SEARCH) ref.write('response.web_search_call.in_progress');
  }

  grow(json: string): void {
    this.json += json;
  }

  /** Called when the arguments of the use are complete. */
  end(): void {
    if (this.form === SEARCH) this.ref.write('response.web_search_call.searching');
  }

  /** @param content the result; undefined: there was none */
  finish(content: Json | undefined): void {
    const failed = content === undefined || errorIn(content) !== undefined;
    if (this.form !== SEARCH) return this.ref.finish(this.view(failed ? 'incomplete' : 'completed', content ?? null));
    // The format has no event for a search that failed.
    if (!failed) this.ref.write('response.web_search_call.completed');
    this.ref.finish(this.view(failed ? 'failed' : 'completed', content ?? null));
  }

  private view(status: ItemStatus | 'in_progress' | 'failed', content: Json): JsonObject {
    return { type: this.form.type, id: this.ref.id, status, ...this.form.view(this.input(), content) };
  }

  private input(): JsonObject {
    try {
      const value = this.json === '' ? {} : parseJson(this.json);
      return isJsonObject(value) ? value : {};
    } catch {
      return {};
    }
  }
}
