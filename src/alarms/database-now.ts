/** SQL: the database's time, moved as far as the clock of this process is. */
export const databaseNow = (parameter: string): string => `(now() + ${parameter} * interval '1 millisecond')`;
