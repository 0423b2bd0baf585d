// `npm run help`: the scripts of package.json by their purpose.
import process from 'node:process';
import { PURPOSES } from './scripts-by-purpose.mjs';

const names = Object.values(PURPOSES).flatMap((scripts) => Object.keys(scripts));
const width = Math.max(...names.map(({ length }) => length));

const sections = Object.entries(PURPOSES).map(([purpose, scripts]) => {
  const rows = Object.entries(scripts).map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
  return [purpose, ...rows].join('\n');
});
process.stdout.write(`${sections.join('\n\n')}\n`);
