/** Between two lines, in milliseconds. */
const LINE_MS = 2_000;

/**
 * Reports the progress of a simulation, at most every two seconds and never for a short one.
 * @param name of the day that is simulated
 * @param total decisions that it makes
 * @param print takes a line with its end
 * @param now the time in milliseconds
 * @returns takes the number of decisions so far
 */
export function progressOf(
  name: string,
  total: number,
  print: (line: string) => void,
  now: () => number = () => performance.now(),
): (count: number) => void {
  let printedAt = now();
  return (count) => {
    if (now() - printedAt < LINE_MS) return;
    printedAt = now();
    const percent = Math.floor((100 * count) / total);
    print(`${name}: ${count.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} decisions (${percent} %)\n`);
  };
}
