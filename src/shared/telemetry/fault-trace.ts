/** Frames kept of a stack. */
const FRAMES_MAX = 10;

/** An internal error for the log: its name and stack. Never its message, which may contain data. */
export function faultTrace(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `a thrown ${typeof thrown}`;
  const frames = (thrown.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [thrown.name, ...frames.slice(0, FRAMES_MAX)].join('\n');
}
