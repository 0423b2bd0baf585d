/** A file of an operator cannot be read or written. The message is one sentence for an operator. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
}
