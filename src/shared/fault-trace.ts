/** Frames that tell enough. */
const FRAMES_MAX = 10;

/**
 * What is thrown by a fault of ours, for the log: its name and where it was. Never its message, which may say what was
 * worked on.
 */
export function faultTrace(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `a thrown ${typeof thrown}`;
  const frames = (thrown.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [thrown.name, ...frames.slice(0, FRAMES_MAX)].join('\n');
}
