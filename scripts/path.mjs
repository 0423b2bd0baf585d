// `npm run path`: how many functions of the gateway, in how many files, one warm request runs through, and what it
// allocates and leaves in the old generation of the heap; for five requests.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { endWithParent } from './end-with-parent.mjs';
import { FIGURES, figuresOf, findPast } from './path/limits.mjs';
import { findLongFunctions } from './path/long-functions.mjs';
import { measureOldTogether, measurePath } from './path/measure.mjs';
import { REQUESTS } from './path/requests.mjs';

endWithParent();

const USAGE = `npm run path -- [--request <name>,…] [--list] [--json] [--check] [--limits <file>] [--lines <most>]

Counts what one warm request runs through in the code of the gateway: functions, files and calls, by V8's function coverage; and the
bytes that it allocates, and those that young collections leave among the old. The gateway is started with a provider
on loopback, on a database of its own in the PostgreSQL at DATABASE_URL or on the local default port, else embedded.
Also finds the functions of src that have more than 70 lines, or the number given by --lines.

  --request  some of: ${Object.keys(REQUESTS).join(', ')}
  --list     each function with its file and its calls a request
  --json     { requests: { <name>: { functions, files, calls, allocatedBytes, oldBytes, called } }, longFunctions, past }
  --check    holds the figures to scripts/path/limits.json, or the file that --limits names; bytes with PostgreSQL only;
             and what each of 32 whole requests at a time makes old, in a gateway as it is run

Ends with 0 within the limits, with 1 past one of them, with 2 for wrong arguments.
`;

function readWords() {
  try {
    const text = { type: 'string' };
    const flag = { type: 'boolean', default: false };
    const options = {
      request: { ...text, default: Object.keys(REQUESTS).join() },
      list: flag,
      json: flag,
      check: flag,
      limits: { ...text, default: fileURLToPath(new URL('./path/limits.json', import.meta.url)) },
      lines: { ...text, default: '70' },
      help: flag,
    };
    const { values } = parseArgs({ options });
    const names = values.request.split(',');
    const unknown = names.find((name) => !Object.hasOwn(REQUESTS, name));
    if (unknown !== undefined) throw new TypeError(`--request does not know ${unknown}`);
    if (!/^\d+$/.test(values.lines)) throw new TypeError('--lines must be a number');
    return { ...values, names, limits: JSON.parse(readFileSync(values.limits, 'utf8')) };
  } catch (error) {
    process.stderr.write(`path: ${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

const words = readWords();
if (words.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const source = fileURLToPath(new URL('../src', import.meta.url));
const longFunctions = findLongFunctions(source, Number(words.lines));
const { hasPostgres, requests } = await measurePath(words.names);
const figures = Object.fromEntries(Object.entries(requests).map(([name, measured]) => [name, figuresOf(measured)]));
const past = words.check ? findPast(words.limits.requests, figures, hasPostgres) : [];
const oldTogether = words.check ? await measureOldTogether() : undefined;
const { oldBytesTogether } = words.limits;
if (oldTogether > oldBytesTogether)
  past.push(`whole requests, 32 at a time: ${oldTogether} bytes become old, the limit is ${oldBytesTogether}`);

if (words.json) {
  const printed = Object.entries(figures).map(([name, found]) => [name, { ...found, called: requests[name].called }]);
  const all = { requests: Object.fromEntries(printed), hasPostgres, oldTogether, longFunctions, past };
  process.stdout.write(`${JSON.stringify(all, undefined, 2)}\n`);
} else {
  print();
}
process.exitCode = past.length > 0 || longFunctions.length > 0 ? 1 : 0;

function print() {
  for (const [name, found] of Object.entries(figures)) {
    if (words.list) {
      for (const { file, name: function_, calls } of requests[name].called)
        console.log(`${String(calls).padStart(6)}  ${file}  ${function_}`);
    }
    const counted = Object.entries(FIGURES).map(([figure, { unit }]) => `${found[figure]} ${unit}`);
    console.log(`${name.padEnd(8)} ${counted.join(', ')}`);
  }
  for (const { file, line, name, lines } of longFunctions)
    console.log(`${lines} lines: ${name} (${relative(process.cwd(), file)}:${line})`);
  console.log(`${longFunctions.length} functions above ${words.lines} lines`);
  if (words.check) console.log(`32 whole requests at a time: ${oldTogether} bytes of each become old`);
  if (words.check && !hasPostgres) console.log('NOT RUN: limits of bytes, for want of a PostgreSQL');
  for (const sentence of past) console.log(`PAST ITS LIMIT: ${sentence}`);
}
