/** Characters that `encodeURIComponent` leaves and RFC 3986 reserves. */
const STILL_RESERVED = /[!'()*]/g;

const escaped = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** A name as one segment of a path, with any characters: ids of models contain colons and slashes. */
export const pathSegment = (name: string): string => encodeURIComponent(name).replace(STILL_RESERVED, escaped);
