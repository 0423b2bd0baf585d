import type { BlockStart } from '../../core/conversation/event.js';
import type { JsonObject } from '../../core/json/json.js';
import type { ItemPlace, ItemStatus } from './item-sink.js';
import { callFields, emptyCallFields, textOf, type CallForm } from './tool-calls.js';

/** A call without arguments is a call with none. */
const NO_ARGUMENTS = '{}';

/** A call of one of the caller's tools under construction. */
export class CallItem {
  private json = '';
  private readonly opening: string;

  constructor(
    private readonly place: ItemPlace,
    private readonly call: Extract<BlockStart, { type: 'tool-use' }>,
    private readonly form: CallForm,
  ) {
    this.opening = place.sink.writer ? place.opening({}) : '';
    place.add(this.view('in_progress', emptyCallFields(form)));
  }

  grow(json: string): void {
    if (json === '') return;
    this.json += json;
    if (this.form.type !== 'function_call') return;
    this.place.sink.writer?.writePiece('response.function_call_arguments.delta', this.opening, json, '}');
  }

  close(status: ItemStatus): void {
    if (this.json === '') this.grow(NO_ARGUMENTS);
    const fields = callFields(this.form, this.json);
    this.writeEnd();
    this.place.finish(this.view(status, fields));
  }

  /**
   * A text is sent as one piece: it stands inside JSON until then. A patch has no events of its own: OpenAI's client
   * throws at those that the format has for its diff (openai 6.49.0).
   */
  private writeEnd(): void {
    const { form, place } = this;
    if (form.type === 'function_call') {
      place.write('response.function_call_arguments.done', { name: form.name, arguments: this.json });
    } else if (form.type === 'custom_tool_call') {
      const input = textOf(this.json);
      if (input !== '') place.write('response.custom_tool_call_input.delta', { delta: input });
      place.write('response.custom_tool_call_input.done', { input });
    }
  }

  private view(status: ItemStatus | 'in_progress', fields: JsonObject): JsonObject {
    const { type } = this.form;
    // A patch is whole when it is handed over; the format has no other end of it.
    const stated = type === 'apply_patch_call' && status === 'incomplete' ? 'completed' : status;
    return { type, id: this.place.id, call_id: this.call.id, ...fields, status: stated };
  }
}
