// Loaded first: the following modules may use syntax that an older Node does not support.
const [MAJOR, MINOR] = [20, 19];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < MAJOR || (major === MAJOR && minor < MINOR)) {
  console.error(`Fairlead needs Node ${MAJOR}.${MINOR} or later, and this is ${process.versions.node}.`);
  process.exit(1);
}
