import { parseUrl } from '../../core/parse-url.js';
import { merged, scan, type Span } from '../../core/text/scan.js';

// All expressions are linear: a match begins at one certain character, or at the boundary of a run, and reads a bounded
// number of characters from there without alternative paths through the same text.

/** Starts at the `@`: a search for the name before it would read long words once per letter. */
const EMAIL =
  /@(?<=(?<name>[\p{L}\p{N}_](?:[\p{L}\p{N}._%+'-]{0,63}))@)(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.){1,8}\p{L}{2,24}/gu;

/** Email addresses in any script. */
export function findEmails(text: string): Span[] {
  if (!text.includes('@')) return [];
  const spans: Span[] = [];
  for (const match of text.matchAll(EMAIL)) {
    spans.push({ start: match.index - match.groups!['name']!.length, end: match.index + match[0].length });
  }
  return spans;
}

const PHONES = [
  // International: a plus, then 7 to 15 digits.
  /(?<![\p{L}\p{N}_+])\+[1-9](?:[ \t.()/-]{0,4}\d){6,14}(?![\p{L}\p{N}_])/gu,
  // North American, always with separators.
  /(?<![\p{L}\p{N}_+.-])(?:1[ \t]{0,2}[ \t./-][ \t]{0,2})?(?:\([2-9]\d{2}\)[ \t./-]{0,3}|[2-9]\d{2}[ \t]{0,2}[ \t./-][ \t]{0,2})[2-9]\d{2}[ \t]{0,2}[ \t./-][ \t]{0,2}\d{4}(?![\p{L}\p{N}_]|[.-]\d)/gu,
  // National, with a zero before the area.
  /(?<![\p{L}\p{N}_+./-])\(?0\d{2,4}\)?[ \t]{0,2}[ \t/-][ \t]{0,2}\d{3,4}[ \t-]{0,3}\d{3,5}(?![\p{L}\p{N}_]|[./-]\d)/gu,
  // National, in pairs.
  /(?<![\p{L}\p{N}_+./-])0[1-9](?:[ .]\d{2}){4}(?![\p{L}\p{N}_]|[ ./-]\d)/gu,
  /(?<![\p{L}\p{N}_+./-])0[1-9]([ \t]{1,3}|[ \t]?[.-][ \t]?)\d{2}(?:\1\d{2}){3}(?![\p{L}\p{N}_]|[ ./-]\d)/gu,
];

/** Telephone numbers as people write them; plain digits without separators do not match. */
export const findPhones = (text: string): Span[] => merged(PHONES.flatMap((expression) => scan(expression, text)));

const SSN =
  /(?<![\p{L}\p{N}_-])(?!000|666|9)\d{3}([ \t]{1,3}|[ \t]{0,2}[./_·-][ \t]{0,2})(?!00)\d{2}\1(?!0000)\d{4}(?![\p{L}\p{N}_]|-\d)/gu;

/** Social security numbers of the United States, with the same separator twice. */
export const findSocialSecurityNumbers = (text: string): Span[] => scan(SSN, text);

const IPV4 =
  /(?<![\p{L}\p{N}_]|\d\.)(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?![\p{L}\p{N}_]|\.\d)/gu;
const IPV6_LIKE = /(?<![\p{L}\p{N}_:.])[0-9A-Fa-f:][0-9A-Fa-f:.]{1,44}(?![\p{L}\p{N}_:])/gu;

/** IP addresses, versions 4 and 6. */
export function findIpAddresses(text: string): Span[] {
  const spans = scan(IPV4, text);
  if (!text.includes(':')) return spans;
  for (const { 0: found, index: start } of text.matchAll(IPV6_LIKE)) {
    // Punctuation at the end of a sentence is not part of it.
    const address = found.replace(/[.:]$/, (end) => (found.endsWith('::') ? end : ''));
    // Names in programs look like one (`dead::beef`); real addresses have digits.
    if (/\d/.test(address) && isIpv6(address)) spans.push({ start, end: start + address.length });
  }
  return merged(spans);
}

/** Addresses in URLs have brackets. */
const isIpv6 = (text: string): boolean => parseUrl(`http://[${text}]/`) !== undefined;
