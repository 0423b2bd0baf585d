/** How long a process may outlive its parent, in milliseconds. */
const LOOK_MS = 200;
const SIGNALS = ['SIGINT', 'SIGTERM'];

/**
 * Ends this process as by SIGTERM once its parent is gone, where npm has started it. npm starts a script in a shell and
 * sends signals only to that shell: some shells end and leave their children behind, with port and lock. A process that
 * was not started by npm may outlive its parent.
 */
export function endWithParent() {
  if (process.env.npm_lifecycle_event === undefined) return;
  let isSignalled = false;
  // A terminal signals the whole group, including this process: a second signal would force the stop, and cut off open
  // requests.
  const note = (signal) => {
    isSignalled = true;
    if (process.listenerCount(signal) > 1) return;
    // There is no other listener: the signal has its default effect.
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
