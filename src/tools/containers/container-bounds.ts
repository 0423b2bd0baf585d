/** Maximum number of bytes of one container, before it is sealed. */
export const CONTAINER_BYTES_MAX = 8 * 1024 * 1024;
/** Maximum number of unexpired containers of one API key. */
export const CONTAINERS_MAX = 16;
/** How long a container is kept after a write: the default and the permitted range. */
export const CONTAINER_SECONDS = { default: 900, min: 1, max: 2_592_000 } as const;
