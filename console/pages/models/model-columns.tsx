import type { JSX } from 'preact';
import type { Model } from '../../api/schema.js';
import { Link } from '../../parts/link.js';
import { Money } from '../../parts/money.js';
import type { Column } from '../../parts/table.js';

const MILLION = 1_000_000;

/** Price of a million tokens, from the price of one; null where the class has no price of its own. */
export const perMillion = (price: string | undefined): number | null =>
  price === undefined ? null : Number((Number(price) * MILLION).toPrecision(12));

/** A price of a million tokens. */
export const PerMillion = ({ price }: { readonly price: string | undefined }): JSX.Element => (
  <Money usd={perMillion(price)} />
);

/** `text, image → text` */
const modalityWords = ({ architecture }: Model): string =>
  architecture.modality.replaceAll('+', ', ').replace('->', ' → ');

/** Models with the prices of their cheapest endpoints. */
export const modelColumns: readonly Column<Model>[] = [
  {
    name: 'id',
    title: 'Model',
    isHeader: true,
    cell: ({ id, name }) => (
      <Link to={`models/${id}`}>
        <bdi title={name}>{id}</bdi>
      </Link>
    ),
    sortBy: ({ id }) => id,
  },
  { name: 'name', title: 'Name', cell: ({ name }) => <bdi class="name">{name}</bdi>, sortBy: ({ name }) => name },
  {
    name: 'callable',
    title: 'Can be called',
    cell: ({ callable }) => (callable ? <span class="good">yes</span> : <span class="none">no credential</span>),
    sortBy: ({ callable }) => Number(callable),
  },
  {
    name: 'prompt',
    title: 'Prompt, USD a million',
    isNumber: true,
    cell: ({ pricing }) => <PerMillion price={pricing.prompt} />,
    sortBy: ({ pricing }) => perMillion(pricing.prompt),
  },
  {
    name: 'completion',
    title: 'Completion',
    isNumber: true,
    cell: ({ pricing }) => <PerMillion price={pricing.completion} />,
    sortBy: ({ pricing }) => perMillion(pricing.completion),
  },
  {
    name: 'context',
    title: 'Context',
    isNumber: true,
    cell: ({ context_length: tokens }) => tokens.toLocaleString('en'),
    sortBy: ({ context_length: tokens }) => tokens,
  },
  {
    name: 'modality',
    title: 'Reads and writes',
    cell: modalityWords,
    sortBy: modalityWords,
  },
];
