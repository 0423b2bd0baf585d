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
import { takesForcedChoice } from '../model-rules/claude-models.js';
import { lists, takes } from './listed-parameters.js';

/* The building blocks of translation tables. */

export const mapped = (how: string): Fate & { type: 'mapped' } => ({ type: 'mapped', how });
export const dropped = (why = ''): Fate & { type: 'dropped' } => ({ type: 'dropped', why });
/**
 * @param what what cannot be sent, for the error
 * @param within the place in the block, such as `.source`
 */
export const refused = (what: string, within = ''): Fate & { type: 'refused' } => ({ type: 'refused', what, within });

export const ABSENT: ReplyRule = { type: 'absent' };

/** One rule where a condition holds for the target, else another; dropped by default. */
export function where<Then extends Fate, Otherwise extends Fate = Fate & { type: 'dropped' }>(
  on: Condition<Target>,
  then: Rule<Target, Then>,
  otherwise?: Rule<Target, Otherwise>,
): Rule<Target, Then | Otherwise | (Fate & { type: 'dropped' })> {
  return { type: 'depends', on, then, otherwise: otherwise ?? dropped() };
}

/**
 * The endpoint's list does not leave it out.
 * @param names the endpoint may list any of them
 */
export const taken = (...names: readonly string[]): Condition<Target> => ({
  words: 'taken',
  holds: (target) => takes(target, ...names),
});

/** The endpoint's list names it. */
export const listed = (name: string): Condition<Target> => ({
  words: 'listed',
  holds: (target) => lists(target, name),
});

/** The endpoint takes thinking, by either of its names. */
export const TAKES_REASONING = taken('reasoning', 'reasoning_effort');

/** A choice among some of the tools is sent as such; any other target gets only those tools. */
export const NAMES_ALLOWED_TOOLS: Condition<Target> = {
  words: '◆ `names_allowed_tools`',
  holds: ({ definition }) => definition.quirks.namesAllowedTools === true,
};
export const ONLY_ALLOWED = mapped('no other tools are sent');

/** The model can be forced to call a tool. */
export const TAKES_FORCED_CHOICE: Condition<Target> = {
  words: 'but at models of Claude that cannot be forced',
  holds: takesForcedChoice,
};

/** Documents may be sent as files. */
export const ACCEPTS_FILES: Condition<Target> = {
  words: '◆ `accepts_files`, or a model that reads files',
  holds: ({ definition, model }) => definition.quirks.acceptsFiles === true || model.inputModalities.includes('file'),
};

/** The model generates images. */
export const DRAWS: Condition<Target> = {
  words: 'a model that makes images',
  holds: ({ model }) => model.outputModalities.includes('image'),
};

/** A provider with a price for a tier sells the tier, whatever else is known of it. */
export const SELLS_TIERS: Condition<Target> = {
  words: '◆ `service_tiers`, or a tier with a price',
  holds: ({ definition, tier }) => definition.quirks.serviceTiers === true || tier !== 'standard',
};

/** The catalog has a price for the region. */
export const PRICES_PLACE: Condition<Target> = {
  words: 'priced',
  holds: ({ endpoint }) => endpoint.geography !== undefined,
};

/** Both conditions hold. */
export const both = (one: Condition<Target>, other: Condition<Target>): Condition<Target> => ({
  words: `${one.words}, ${other.words}`,
  holds: (target) => one.holds(target) && other.holds(target),
});

/** A field with a rule, which is encoded together with other parts of the request. */
export const field = (rule: FieldRule<Target>): FieldRow<Target> => ({ rule });

/** A field that the format has no place for. */
export const NO_PLACE = field(dropped());

/** Options of a field that is one value. */
interface FieldOptions extends Partial<Pick<FieldPlace, 'within' | 'assertFits'>> {
  /** What happens to the value. */
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

/** A class of usage with a rule, which is read together with other parts of the reply. */
export const usage = (rule: ReplyRule): UsageRow => ({ rule });

/** A class of usage that the format does not report. */
export const NOT_REPORTED = usage(ABSENT);

/**
 * A figure at a place of its own.
 * @param places the first one with a figure counts
 * @param note what is done with it
 */
export const reported = (places: readonly string[], note = ''): UsageRow => ({
  rule: mapped(places.map((place) => `\`${place}\``).join(', else ') + (note === '' ? '' : `, ${note}`)),
  places,
});

/** The stop sequences of a request; an empty list means none. */
export const readStopSequences = ({ stopSequences }: ModelRequest): readonly string[] | undefined =>
  stopSequences?.length ? stopSequences : undefined;

/**
 * @param max most stop sequences that the format permits
 * @param format its name, for the error
 */
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

/** A file stored at a vendor. */
export const STORED_FILE = refused('a file stored at a vendor', '.source.file_id');
