/** `1 model`, `2,000 models`. */
export const pluralize = (count: number, singular: string, many = `${singular}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? singular : many}`;
