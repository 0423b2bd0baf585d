// `npm run path`: how many functions of ours, in how many files, one warm whole `POST /messages` runs through, and how
// much of the heap it makes old.
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { measurePath } from './path/count-calls.mjs';
import { findLongFunctions } from './path/long-functions.mjs';

const USAGE = `npm run path -- [--list] [--json] [--functions <most>] [--files <most>] [--lines <most>] [--old <most>]

Counts, by V8's function coverage, what one warm whole POST /messages runs through in our own code: functions and
files; then, with 32 of them at a time, how many bytes of the heap each makes old: garbage that young collections copy
and only seldom ones take away. The gateway is started with a provider on loopback, on the PostgreSQL that DATABASE_URL
names, else embedded. Also finds the functions of src that have more than 70 lines, or as many as --lines says.

  --list   each function with its file and its calls a request
  --json   { functions, files, oldBytes, longFunctions, called }

Ends with 0 within the limits, with 1 past one of them, with 2 for wrong words.
`;

function readWords() {
  try {
    const text = { type: 'string' };
    const flag = { type: 'boolean', default: false };
    const options = {
      list: flag,
      json: flag,
      help: flag,
      functions: text,
      files: text,
      lines: { ...text, default: '70' },
      old: text,
    };
    const { values } = parseArgs({ options });
    for (const name of ['functions', 'files', 'lines', 'old']) {
      if (values[name] !== undefined && !/^\d+$/.test(values[name])) throw new TypeError(`--${name} must be a number`);
    }
    return values;
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
const { called, oldBytes } = await measurePath(process.env.DATABASE_URL);
const files = new Set(called.map(({ file }) => file)).size;

if (words.json) {
  process.stdout.write(
    `${JSON.stringify({ functions: called.length, files, oldBytes, longFunctions, called }, undefined, 2)}\n`,
  );
} else {
  if (words.list)
    for (const { file, name, calls } of called) console.log(`${String(calls).padStart(6)}  ${file}  ${name}`);
  for (const { file, line, name, lines } of longFunctions)
    console.log(`${lines} lines: ${name} (${relative(process.cwd(), file)}:${line})`);
  console.log(
    `${called.length} functions in ${files} files, ${longFunctions.length} functions above ${words.lines} lines, ${oldBytes} bytes become old`,
  );
}
const isPast = (count, limit) => limit !== undefined && count > Number(limit);
const isPastAny = isPast(called.length, words.functions) || isPast(files, words.files) || isPast(oldBytes, words.old);
process.exitCode = isPastAny || longFunctions.length > 0 ? 1 : 0;
