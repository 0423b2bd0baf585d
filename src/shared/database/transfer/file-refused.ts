/** A file of a store cannot be read or written as it is. The message is one sentence for an operator. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
}
