import type { ComponentChildren, JSX } from 'preact';
import { addressOf, navigate, query } from '../app/router.js';

/** A filter of a list, by the name that the API and the address of the page have. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly type?: 'date';
  /** Values with their words; the first one is chosen where the address has none. */
  readonly options?: readonly (readonly [value: string, word: string])[];
  readonly hint?: string;
}

interface FilterFormProps {
  /** Path of the page of the list. */
  readonly page: string;
  readonly filters: readonly Filter[];
  /** Parameters of the address that stay. */
  readonly kept?: Readonly<Record<string, string | undefined>>;
  readonly children?: ComponentChildren;
}

/** Reads the filters of a list from the address, and writes them there. */
export function FilterForm({ page, filters, kept = {}, children }: FilterFormProps): JSX.Element {
  const given = filters.filter(({ name }) => query.value.get(name)).length;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement) as unknown as Iterable<[string, string]>;
    const entered = Object.fromEntries([...fields].map(([name, value]) => [name, value.trim()]));
    navigate(addressOf(page, { ...kept, ...entered }));
  };
  return (
    <details class="filters" open={given > 0}>
      <summary>{given === 0 ? 'Filters' : `Filters (${given})`}</summary>
      <form onSubmit={submit} key={query.value.toString()}>
        <div class="fields">
          {filters.map((filter) => (
            <FilterField key={filter.name} filter={filter} value={query.value.get(filter.name) ?? ''} />
          ))}
        </div>
        {children}
        <div class="buttons">
          <button type="submit" class="main">
            Show
          </button>
          <button type="button" onClick={() => navigate(addressOf(page, kept))}>
            Clear
          </button>
        </div>
      </form>
    </details>
  );
}

function FilterField({ filter, value }: { readonly filter: Filter; readonly value: string }): JSX.Element {
  const { name, label, type, options, hint } = filter;
  const id = `filter-${name}`;
  return (
    <div>
      <label for={id}>{label}</label>
      {options ? (
        <select id={id} name={name}>
          {options.map(([option, word]) => (
            <option key={option} value={option} selected={option === value}>
              {word}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          name={name}
          {...(type && { type })}
          placeholder={hint}
          defaultValue={value}
          autoComplete="off"
          spellcheck={false}
        />
      )}
    </div>
  );
}
