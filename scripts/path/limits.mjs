// The figures of `npm run path`, and their limits in `limits.json`.

/** Figures in the order they are printed; the allocations of the database's client are those of the embedded one. */
export const FIGURES = {
  functions: { unit: 'functions' },
  files: { unit: 'files' },
  calls: { unit: 'calls' },
  allocatedBytes: { unit: 'bytes allocated', needsPostgres: true },
  oldBytes: { unit: 'bytes become old', needsPostgres: true },
};

/** @param measured `{ called, allocatedBytes, oldBytes }` of one request */
export function figuresOf({ called, allocatedBytes, oldBytes }) {
  return {
    functions: called.length,
    files: new Set(called.map(({ file }) => file)).size,
    calls: Math.round(called.reduce((sum, { calls }) => sum + calls, 0)),
    allocatedBytes,
    oldBytes,
  };
}

/**
 * @param limits by request and figure; a figure without one is not checked
 * @param figures by request and name
 * @returns a sentence for each figure that exceeds its limit
 */
export function findPast(limits, figures, hasPostgres) {
  return Object.entries(figures).flatMap(([request, found]) =>
    Object.entries(FIGURES)
      .filter(([, { needsPostgres }]) => hasPostgres || !needsPostgres)
      .filter(([name]) => found[name] > (limits[request]?.[name] ?? Infinity))
      .map(([name, { unit }]) => `${request}: ${found[name]} ${unit}, the limit is ${limits[request][name]}`),
  );
}
