import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { FLAG_OPTIONS, type Field, type FieldKind } from './form-fields.js';

interface FormFieldProps {
  readonly field: Field;
  readonly text: string;
  /** Why the API refuses it. */
  readonly error?: string | undefined;
  readonly change: (text: string) => void;
}

/** A field with its label, what it means, and what the API refuses of it. */
export function FormField({ field, text, error, change }: FormFieldProps): JSX.Element {
  const id = useId();
  const { label, description, unit, kind } = field;
  const described = [description && `${id}-about`, error && `${id}-error`].filter(Boolean).join(' ');
  const control = (
    <Control
      field={field}
      text={text}
      change={change}
      common={{
        id,
        name: field.name,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': error ? true : undefined,
      }}
    />
  );
  return (
    <div class={`field ${kind}`}>
      <label for={id}>
        {label}
        {unit && <span class="unit"> ({unit})</span>}
      </label>
      {control}
      {description && (
        <p class="hint" id={`${id}-about`}>
          {description}
        </p>
      )}
      {error && (
        <p class="refused" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

interface ControlProps {
  readonly field: Field;
  readonly text: string;
  readonly change: (text: string) => void;
  readonly common: {
    readonly id: string;
    readonly name: string;
    readonly 'aria-describedby': string | undefined;
    readonly 'aria-invalid': true | undefined;
  };
}

const LINES: Partial<Readonly<Record<FieldKind, number>>> = { lines: 3, pairs: 3, json: 8 };

function Control({ field, text, change, common }: ControlProps): JSX.Element {
  const { kind, options = FLAG_OPTIONS, placeholder, isRequired } = field;
  if (kind === 'toggle')
    return (
      <input
        {...common}
        type="checkbox"
        checked={text === 'true'}
        onChange={({ currentTarget }) => change(String(currentTarget.checked))}
      />
    );
  if (kind === 'choice' || kind === 'flag')
    return (
      <select {...common} value={text} onChange={({ currentTarget }) => change(currentTarget.value)}>
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    );
  if (LINES[kind] !== undefined)
    return (
      <textarea
        {...common}
        rows={LINES[kind]}
        spellcheck={false}
        dir="auto"
        placeholder={placeholder}
        value={text}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    );
  // The types of the library allow one literal at a time.
  const type = (kind === 'secret' ? 'password' : kind === 'time' ? 'datetime-local' : 'text') as 'text';
  return (
    <input
      {...common}
      type={type}
      step={kind === 'time' ? 1 : undefined}
      inputMode={kind === 'money' ? 'decimal' : kind === 'number' ? 'numeric' : undefined}
      autoComplete="off"
      spellcheck={false}
      dir={kind === 'text' ? 'auto' : undefined}
      required={isRequired}
      placeholder={placeholder}
      value={text}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}
