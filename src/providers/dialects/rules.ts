import type { ModelRequest } from '../../core/conversation/request.js';
import { Untranslatable } from '../../core/errors.js';
import type { Target } from '../../core/provider.js';
import type {
  Condition,
  Fate,
  FieldPlace,
  FieldRow,
  FieldRule,
  ReplyRule,
  Rule,
  UsageRow,
} from '../../core/translation.js';
import { lists, takes } from './listed-parameters.js';

/*
 * The words that translation tables are written in.
 */

export const mapped = (how: string): Fate & { type: 'mapped' } => ({ type: 'mapped', how });
export const dropped = (why = ''): Fate & { type: 'dropped' } => ({ type: 'dropped', why });
/** @param what cannot be sent, as the error says it @param within where in a block it stands, as `.source` */
export const refused = (what: string, within = ''): Fate & { type: 'refused' } => ({ type: 'refused', what, within });

export const ABSENT: ReplyRule = { type: 'absent' };

/** One rule where something holds of the target, else another: dropped unless said otherwise. */
export function where<Then extends Fate, Otherwise extends Fate = Fate & { type: 'dropped' }>(
  on: Condition<Target>,
  then: Rule<Target, Then>,
  otherwise?: Rule<Target, Otherwise>,
): Rule<Target, Then | Otherwise | (Fate & { type: 'dropped' })> {
  return { type: 'depends', on, then, otherwise: otherwise ?? dropped() };
}

/** The endpoint's list does not leave it out. @param names any of them, as endpoints list it */
export const taken = (...names: readonly string[]): Condition<Target> => ({
  words: 'taken',
  holds: (target) => takes(target, ...names),
});

/** The endpoint's list names it. */
export const listed = (name: string): Condition<Target> => ({
  words: 'listed',
  holds: (target) => lists(target, name),
});

/** Documents may be sent as files. */
export const ACCEPTS_FILES: Condition<Target> = {
  words: '◆ `accepts_files`, or a model that reads files',
  holds: ({ definition, model }) => definition.quirks.acceptsFiles === true || model.inputModalities.includes('file'),
};

/** The model makes pictures. */
export const DRAWS: Condition<Target> = {
  words: 'a model that makes images',
  holds: ({ model }) => model.outputModalities.includes('image'),
};

/** Who prices a tier apart sells it, whatever else is known of the provider. */
export const SELLS_TIERS: Condition<Target> = {
  words: '◆ `service_tiers`, or a tier with a price',
  holds: ({ definition, tier }) => definition.quirks.serviceTiers === true || tier !== 'standard',
};

/** The catalog prices the place. */
export const PRICES_PLACE: Condition<Target> = {
  words: 'priced',
  holds: ({ endpoint }) => endpoint.geography !== undefined,
};

/** Both. */
export const both = (one: Condition<Target>, other: Condition<Target>): Condition<Target> => ({
  words: `${one.words}, ${other.words}`,
  holds: (target) => one.holds(target) && other.holds(target),
});

/** A field that goes by a rule and is encoded with more of the request. */
export const field = (rule: FieldRule<Target>): FieldRow<Target> => ({ rule });

/** What else is to be said of a field that is one value. */
interface FieldOptions extends Partial<Pick<FieldPlace, 'within' | 'assertFits'>> {
  /** What becomes of the value. */
  readonly note?: string;
}

/**
 * A field that is one value.
 * @param on where it is sent; absent: everywhere
 */
export function sent(
  name: string,
  read: FieldPlace['read'],
  on?: Condition<Target>,
  { within = '', note = '', ...rest }: FieldOptions = {},
): FieldRow<Target> {
  const how = mapped(`\`${within === '' ? name : `${within}.${name}`}\`${note === '' ? '' : `, ${note}`}`);
  return { rule: on === undefined ? how : where(on, how), place: { within, name, read, ...rest } };
}

/** A class of usage that goes by a rule and is read with more of the reply. */
export const usage = (rule: ReplyRule): UsageRow => ({ rule });

/** A class that the format has no word for. */
export const UNTOLD = usage(ABSENT);

/**
 * A figure that stands at a place of its own.
 * @param places the first that tells one counts @param note what is done with it
 */
export const told = (places: readonly string[], note = ''): UsageRow => ({
  rule: mapped(places.map((place) => `\`${place}\``).join(', else ') + (note === '' ? '' : `, ${note}`)),
  places,
});

/** The stop sequences of a request; an empty list asks for none. */
export const readStopSequences = ({ stopSequences }: ModelRequest): readonly string[] | undefined =>
  stopSequences?.length ? stopSequences : undefined;

/** @param max most stop sequences that the format holds @param format its name, for the error */
export const atMostStopSequences = (max: number, format: string): FieldOptions => ({
  note: `more than ${max}: 400`,
  assertFits: ({ stopSequences = [] }) => {
    if (stopSequences.length <= max) return;
    throw new Untranslatable(
      'stop_sequences',
      `has ${stopSequences.length} entries, ${format} of this model's provider takes at most ${max}`,
    );
  },
});

/** Blocks that only Anthropic understands, in formats that have no part for them (`foreign-blocks.ts`). */
export const FOREIGN_BLOCKS = {
  server_tool_use: mapped('a call of a tool; without a result behind it in words: `[Called tool <name> with <input>]`'),
  web_search_tool_result: mapped('its result: titles and addresses, or the error; without its call in words'),
  web_fetch_tool_result: mapped('its result: the address, and a text page; without its call in words'),
  server_tool_result: mapped('its result: its `text`, else its JSON; without its call in words'),
  gateway_tool_result: dropped('with their calls'),
  compaction: mapped('in words; an empty one dropped'),
  other: refused('a block'),
  own_item: refused('a block'),
  foreign_item: refused('a block'),
} as const;

/** A file that is kept at the vendor whose format a caller speaks. */
export const STORED_FILE = refused('a file stored at a vendor', '.source.file_id');
