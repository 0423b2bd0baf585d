/** Looked at: smaller ones are many, and the engine collects them in time. */
const LARGE_BYTES = 1024 * 1024;

/**
 * Has this thread refuse large arrays of bytes, past so many bytes of all that it holds: the engine's own limits of a
 * thread are for its heap, which these are not in. A `RangeError` is what the engine says itself where memory is over.
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
  // It unpacks outside of this thread's sight. Whoever would use it does so itself where it is not there.
  Reflect.deleteProperty(globalThis, 'DecompressionStream');
}
