/** Of one container, before it is sealed. */
export const CONTAINER_BYTES_MAX = 8 * 1024 * 1024;
/** Containers of one API key at a time: those whose time is not over. */
export const CONTAINERS_MAX = 16;
/** How long a container stays after it was written: what is usual, and what may be asked for. */
export const CONTAINER_SECONDS = { default: 900, min: 1, max: 2_592_000 } as const;
