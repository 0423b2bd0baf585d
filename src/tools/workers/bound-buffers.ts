/** Only larger arrays are counted: smaller ones are many, and the engine collects them in time. */
const LARGE_BYTES = 1024 * 1024;

/**
 * Makes this thread refuse large byte arrays beyond this total: the engine's own limits of a thread cover only its
 * heap, which excludes them. It throws a `RangeError`, as the engine does where memory is exhausted.
 */
export function boundBuffers(bytesMax: number): void {
  const guard: ProxyHandler<Uint8ArrayConstructor> = {
    construct(target, parts: [unknown], made: Uint8ArrayConstructor) {
      const bytes = typeof parts[0] === 'number' ? parts[0] : 0;
      if (bytes >= LARGE_BYTES && process.memoryUsage().arrayBuffers + bytes > bytesMax) {
        throw new RangeError('Array buffer allocation failed');
      }
      return Reflect.construct(target, parts, made) as Uint8Array;
    },
  };
  globalThis.Uint8Array = new Proxy(Uint8Array, guard);
  // `DecompressionStream` allocates outside this thread's accounting. Libraries fall back to their own code where it is
  // missing.
  Reflect.deleteProperty(globalThis, 'DecompressionStream');
}
