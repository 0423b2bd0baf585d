/**
 * Names that programs have for types whose registered name is another, which vendors take alone
 * (iana.org/assignments/media-types, read 2026-11-29).
 */
const REGISTERED: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['application/x-pdf', 'application/pdf'],
]);

/** The registered name of a type. */
export const plainMediaType = (type: string): string => REGISTERED.get(type) ?? type;
