import type { BlockStart } from '../../core/conversation/event.js';
import type { JsonObject } from '../../core/json/json.js';
import type { OutputItemRef, ItemStatus } from './item-sink.js';
import { TextInput } from './text-input.js';
import { callFields, emptyCallFields, textOf, type CallForm } from './tool-calls.js';

/** A call without arguments is a call with none. */
const NO_ARGUMENTS = '{}';

/** A call of one of the caller's tools under construction. */
export class CallItem {
  private json = '';
  private readonly opening: string;
  private readonly input: TextInput | undefined;

  constructor(
    private readonly ref: OutputItemRef,
    private readonly call: Extract<BlockStart, { type: 'tool-use' }>,
    private readonly form: CallForm,
  ) {
    this.input = ref.sink.writer && form.type === 'custom_tool_call' ? new TextInput() : undefined;
    this.opening = ref.sink.writer ? ref.opening({}) : '';
    ref.add(this.view('in_progress', emptyCallFields(form)));
  }

  grow(json: string): void {
    if (json === '') return;
    this.json += json;
    if (this.input) this.words(this.input.add(json));
    if (this.form.type !== 'function_call') return;
    this.ref.sink.writer?.writePiece('response.function_call_arguments.delta', this.opening, json, '}');
  }

  close(status: ItemStatus): void {
    if (this.json === '') this.grow(NO_ARGUMENTS);
    const fields = callFields(this.form, this.json);
    this.writeEnd();
    this.ref.finish(this.view(status, fields));
  }

  private words(piece: string): void {
    if (piece === '') return;
    this.ref.sink.writer?.writePiece('response.custom_tool_call_input.delta', this.opening, piece, '}');
  }

  /**
   * A patch has no events of its own: OpenAI's client throws at the format's events for its diff (openai 6.49.0).
   */
  private writeEnd(): void {
    const { form, ref } = this;
    if (form.type === 'function_call') {
      ref.write('response.function_call_arguments.done', { name: form.name, arguments: this.json });
    } else if (this.input) {
      const text = textOf(this.json);
      this.words(this.input.isText ? this.input.end() : text);
      ref.write('response.custom_tool_call_input.done', { input: text });
    }
  }

  private view(status: ItemStatus | 'in_progress', fields: JsonObject): JsonObject {
    const { type } = this.form;
    // The format has no status for an incomplete patch.
    const stated = type === 'apply_patch_call' && status === 'incomplete' ? 'completed' : status;
    return { type, id: this.ref.id, call_id: this.call.id, ...fields, status: stated };
  }
}
