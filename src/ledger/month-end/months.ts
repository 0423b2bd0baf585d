const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

/** The first moment of the UTC month of a time. */
export const startOfMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth()));

/** The first moment of the month after the one that begins at `first`. */
export const monthAfter = (first: Date): Date => new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1));

export const monthBefore = (first: Date): Date => new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() - 1));

/** The form of a month for callers: `2030-01`. */
export const printMonth = (first: Date): string => first.toISOString().slice(0, 7);

/** @returns its first moment; undefined for any other text */
export const readMonth = (text: string): Date | undefined =>
  MONTH.test(text) ? new Date(`${text}-01T00:00:00Z`) : undefined;
