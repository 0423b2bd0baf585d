import type { JSX } from 'preact';
import { FLAG_OPTIONS, type Draft, type Field } from './form-fields.js';
import { Empty } from './states.js';
import { Table } from './table.js';

interface DifferenceProps {
  readonly caption: string;
  /** The fields whose values differ. */
  readonly fields: readonly Field[];
  readonly before: Draft;
  readonly after: Draft;
  readonly titles?: readonly [string, string];
}

/** Table of the fields that a change affects, each with its value before and after. */
export const Difference = ({
  caption,
  fields,
  before,
  after,
  titles = ['Stored', 'New'],
}: DifferenceProps): JSX.Element =>
  fields.length === 0 ? (
    <Empty>Nothing differs from what is stored.</Empty>
  ) : (
    <Table
      caption={caption}
      columns={[
        { name: 'field', title: 'Field', isHeader: true, cell: ({ label }) => label },
        {
          name: 'before',
          title: titles[0],
          wraps: true,
          cell: (field) => <Shown field={field} text={before[field.name]} />,
        },
        {
          name: 'after',
          title: titles[1],
          wraps: true,
          cell: (field) => <Shown field={field} text={after[field.name]} />,
        },
      ]}
      rows={fields}
      keyOf={({ name }) => name}
    />
  );

/** Value of a field in the words of its form. */
function Shown({ field, text = '' }: { readonly field: Field; readonly text: string | undefined }): JSX.Element {
  const { kind, options = FLAG_OPTIONS } = field;
  if (kind === 'secret') return <span class="none">{text === '' ? 'none' : 'another one'}</span>;
  if (kind === 'toggle') return <>{text === 'true' ? 'yes' : 'no'}</>;
  if (kind === 'choice' || kind === 'flag') return <>{options.find(({ value }) => value === text)?.label ?? text}</>;
  if (text.trim() === '') return <span class="none">none</span>;
  return <bdi class="lines">{kind === 'money' ? `$${text}` : text}</bdi>;
}
