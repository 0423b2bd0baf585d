/** How long a process may outlive its parent, in milliseconds. */
const LOOK_MS = 200;

/**
 * Ends this process as by SIGTERM once its parent is gone, where npm has started it. npm starts a script in a shell and
 * hands signals to that shell alone: some shells end by them and leave what they started behind, with its port and its
 * lock. A process that no npm started may outlive its parent.
 */
export function endWithParent() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  timer.unref();
}
