import type { JsonObject } from '../../core/json/json.js';

/** Receives the events of a stream; a whole reply has none. */
export interface EventWriter {
  /** An event with these members besides its type and number. */
  write(type: string, members: JsonObject): void;
  /**
   * An event with a piece of text: most of a stream.
   * @param opening the members before the text, printed, up to its quotation mark
   * @param closing the members behind it
   */
  writePiece(type: string, opening: string, piece: string, closing: string): void;
}

/** State that all items of one reply share. */
export interface ItemSink {
  readonly writer: EventWriter | undefined;
  /** Finished items by their indices in `output`. */
  readonly output: JsonObject[];
  /** The caller requests what its vendor needs to read reasoning again. */
  readonly wantsProof: boolean;
}

export type ItemStatus = 'completed' | 'incomplete';

/** Index and id of an item, which its events state. */
export class OutputItemRef {
  constructor(
    readonly sink: ItemSink,
    readonly index: number,
    readonly id: string,
  ) {}

  /** The item begins. */
  add(item: JsonObject): void {
    this.sink.writer?.write('response.output_item.added', { output_index: this.index, item });
  }

  write(type: string, members: JsonObject = {}): void {
    this.sink.writer?.write(type, { item_id: this.id, output_index: this.index, ...members });
  }

  /** The beginning of the members of an event with a piece of text. */
  opening(members: JsonObject): string {
    const head = JSON.stringify({ item_id: this.id, output_index: this.index, ...members });
    return `${head.slice(1, -1)},"delta":`;
  }

  /** The item is finished. */
  finish(item: JsonObject): void {
    this.sink.output[this.index] = item;
    this.sink.writer?.write('response.output_item.done', { output_index: this.index, item });
  }
}
