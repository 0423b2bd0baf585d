/** How long a process may outlive its parent, in milliseconds. */
const LOOK_MS = 200;
const SIGNALS = ['SIGINT', 'SIGTERM'];

/**
 * Ends this process as by SIGTERM once its parent is gone, where npm has started it. npm starts a script in a shell and
 * hands signals to that shell alone: some shells end by them and leave what they started behind, with its port and its
 * lock. A process that no npm started may outlive its parent.
 */
export function endWithParent() {
  if (process.env.npm_lifecycle_event === undefined) return;
  let isSignalled = false;
  // A terminal signals the whole group, this process too: a second signal would insist, and cut off what is open.
  const note = (signal) => {
    isSignalled = true;
    if (process.listenerCount(signal) > 1) return;
    // Nobody else listens: the signal does what it does by itself.
    process.off(signal, note);
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, note);
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    if (!isSignalled) process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  timer.unref();
}
