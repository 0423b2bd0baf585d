import { signal } from '@preact/signals';

/** Warning in the API's last reply to a change, such as an entry of a list that matches nothing; null: none. */
export const warning = signal<string | null>(null);
