import { merged, scan, type Span } from '../../core/text/scan.js';

/** Common given names of several languages that are not common words themselves. */
const GIVEN_NAMES: ReadonlySet<string> = new Set(
  (
    'Aaron Abdul Abigail Adam Adrian Agnes Ahmed Alan Albert Alejandro Alexander Alexandra Alexei Alfred Ali Alice Alicia Alison Amanda ' +
    'Amelia Amir Amy Ana Anastasia Andrea Andreas Andrew Andrzej Angela Anita Anna Anne Anthony Antonio Arthur Ashley Barbara Beatrice ' +
    'Benjamin Bernard Betty Beverly Bob Boris Bradley Brandon Brenda Brian Bruce Camille Carl Carla Carlos Carmen Carol Caroline ' +
    'Catherine Charles Charlotte Chloe Chris Christina Christine Christopher Claire Claudia Craig Cynthia Daniel Daniela David Deborah ' +
    'Dennis Diana Diego Dimitri Dmitri Donald Donna Dorothy Douglas Edward Elena Eleanor Elizabeth Ellen Emily Emma Eric Erika Erik ' +
    'Ethan Eugene Eva Evelyn Fatima Felix Fernando Francesca Francesco Francis Franz Frederick Friedrich Gabriel Gary George Gerald ' +
    'Giovanni Giulia Gloria Gregory Guillaume Gustav Hannah Hans Harold Harry Heather Heidi Helen Helmut Henry Hiroshi Howard Hugo Ian ' +
    'Ibrahim Ingrid Irene Isabel Isabella Ivan Jack Jacob Jacqueline James Jane Janet Jason Javier Jean Jeffrey Jennifer Jeremy Jessica ' +
    'Joan Joe Johan Johann John Jonathan Jorge Jose Joseph Joshua Juan Judith Julia Julie Jürgen Karen Karl Katherine Kathleen Katja ' +
    'Keith Kenneth Kevin Klaus Kyle Larry Laura Lauren Laurent Leonard Leonardo Linda Lisa Lorenzo Louis Louise Lucas Lucia Luigi Luis ' +
    'Lukas Magdalena Marco Marcus Margaret Maria Marie Mario Martha Martin Martina Mary Matteo Matthew Matthias Maurice Megan Mehmet ' +
    'Melissa Michael Michelle Miguel Mikhail Mohamed Mohammed Monica Muhammad Nancy Natalia Natalie Nathan Nicholas Nicolas Nicole Nikolai ' +
    'Nina Noah Norman Olga Oliver Olivia Omar Oscar Pablo Pamela Patricia Patrick Paul Paula Pedro Peter Philip Philippe Pierre Priya ' +
    'Rachel Rafael Rajesh Ralph Raymond Rebecca Ricardo Richard Robert Roberto Roger Ronald Roland Rosa Russell Ruth Ryan Samantha Samuel ' +
    'Sandra Sara Sarah Scott Sebastian Sergei Sergio Sharon Shirley Simon Sofia Sophia Sophie Stefan Stefanie Stephanie Stephen Steven ' +
    'Susan Svetlana Sven Sylvia Tatiana Teresa Theodore Theresa Thomas Timothy Tobias Tom Tomas Tyler Uwe Valentina Vanessa Victor ' +
    'Vincent Vladimir Walter Wayne Wei Wilhelm William Wolfgang Xavier Yasmin Yuki Yusuf Zachary Zoe'
  ).split(' '),
);

/** Words that turn the name before them into a town or a company. */
const NO_SURNAMES: ReadonlySet<string> = new Set(
  (
    'Street St Avenue Ave Road Rd Lane Drive Square Court Bridge Park Station Airport Island Islands River Lake Mountain Valley Beach Bay ' +
    'County City Town University College School Hospital Church Cathedral Museum Library Theatre Stadium Institute Foundation Prize Award ' +
    'Company Corporation Corp Inc Ltd Limited Group Bank Hotel Act Law Day Cup'
  ).split(' '),
);

const CAPITALISED = /(?<![\p{L}\p{N}_])\p{Lu}\p{Ll}{1,20}(?= )/gu;
const REST =
  / (?:\p{Lu}\. ){0,2}(?:(?:van|von|de|del|della|di|da|la|le|der|den|bin|al) ){0,2}(\p{Lu}[\p{L}'’-]{1,30})/uy;

const TITLED =
  /(?<![\p{L}\p{N}_])(?:Mr|Mrs|Ms|Mx|Dr|Prof|Herr|Frau|Monsieur|Madame|Mme|Señor|Señora|Sr|Sra)\.? (?:\p{Lu}[\p{L}'’-]{1,30}|\p{Lu}\.)(?: (?:\p{Lu}[\p{L}'’-]{1,30}|\p{Lu}\.)){0,2}/gu;
const INTRODUCED_NAME =
  /(?<![\p{L}\p{N}_])(?:[Mm]y (?:full )?name is|[Nn]ame:|[Ii]ch hei(?:ß|ss)e|[Mm]ein Name ist|[Jj]e m['’]appelle|[Mm]e llamo) (?<name>\p{Lu}[\p{L}'’-]{1,30}(?: \p{Lu}[\p{L}'’-]{1,30}){0,2})/gu;

/** Names of people: after a title, after "my name is", or a common given name with a surname. */
export function findPeople(text: string): Span[] {
  const spans = scan(TITLED, text);
  for (const { 0: whole, index, groups } of text.matchAll(INTRODUCED_NAME)) {
    spans.push({ start: index + whole.length - groups!['name']!.length, end: index + whole.length });
  }
  for (const { 0: name, index } of text.matchAll(CAPITALISED)) {
    if (!GIVEN_NAMES.has(name)) continue;
    REST.lastIndex = index + name.length;
    const rest = REST.exec(text);
    if (rest && !NO_SURNAMES.has(rest[1]!)) spans.push({ start: index, end: index + name.length + rest[0].length });
  }
  return merged(spans);
}

const STREETS = [
  // 12B North Main Street, Apt. 4, Springfield, IL 62701
  /(?<![\p{L}\p{N}_.,])\d{1,6}[A-Za-z]?,? (?:[\p{Lu}\d][\p{L}\d'’.-]{0,20} ){1,4}(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Parkway|Pkwy|Highway|Hwy|Circle|Way|Close|Crescent)(?![\p{L}\p{N}_])\.?(?:,? (?:Apt|Apartment|Suite|Ste|Unit|Floor|#)\.? ?[\dA-Z]{1,6})?(?:, \p{Lu}[\p{L} .'’-]{1,30}, [A-Z]{2} \d{5}(?:-\d{4})?)?/gu,
  // Hauptstraße 5a, 10115 Berlin
  /(?<![\p{L}\p{N}_])\p{Lu}[\p{L}-]{1,30}(?:stra(?:ß|ss)e|str\.|allee|gasse|platz|weg) \d{1,4}[a-z]?(?![\p{L}\p{N}_])(?:, \d{5} \p{Lu}\p{L}{1,30})?/gu,
  // 12 rue de la Paix, 75002 Paris
  /(?<![\p{L}\p{N}_.,])\d{1,4}(?: (?:bis|ter))?,? (?:rue|avenue|boulevard|place|allée|quai|impasse) (?:(?:de|du|des|la|le|les|d['’]|l['’]) ?){0,3}\p{Lu}[\p{L}'’-]{1,30}(?:, \d{5} \p{Lu}\p{L}{1,30})?/gu,
  // P.O. Box 123
  /(?<![\p{L}\p{N}_])P\.? ?O\.? Box \d{1,6}(?![\p{L}\p{N}_])/gu,
];

/** Postal addresses that include the house number. */
export const findAddresses = (text: string): Span[] => merged(STREETS.flatMap((expression) => scan(expression, text)));
