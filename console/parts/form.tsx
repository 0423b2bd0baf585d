import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { asFailure, type ApiFailure } from '../api/transport.js';
import { keepUnsaved } from '../app/unsaved.js';
import { FormField } from './form-field.js';
import { changedFields, draftOf, newBody, refusedField, type Draft, type Field } from './form-fields.js';
import { Failure } from './states.js';

interface FieldsProps {
  readonly fields: readonly Field[];
  readonly draft: Draft;
  readonly change: (draft: Draft) => void;
  readonly failure: ApiFailure | undefined;
}

/**
 * The fields of a form. A refusal is shown at the field that it names, which gets the focus; any other above all
 * fields.
 */
export function Fields({ fields, draft, change, failure }: FieldsProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const refused = refusedField(fields, failure);
  useEffect(() => {
    if (refused) place.current!.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [failure]);
  return (
    <div ref={place} class="form-fields">
      {failure && !refused && <Failure failure={failure} />}
      {fields.map((field) => (
        <FormField
          key={field.name}
          field={field}
          text={draft[field.name] ?? ''}
          error={refused?.name === field.name ? refused.words : undefined}
          change={(text) => change({ ...draft, [field.name]: text })}
        />
      ))}
    </div>
  );
}

interface NewFormProps<Made> {
  readonly fields: readonly Field[];
  /** First values of the fields. */
  readonly begin?: object;
  /** The label of the button. */
  readonly action: string;
  /** Creates the object. The form is cleared afterwards. */
  readonly submit: (body: Readonly<Record<string, unknown>>) => Promise<Made>;
  /** Called once the form is cleared, so that the page may navigate away. */
  readonly done?: (made: Made) => void;
  /** Gives it up. */
  readonly cancel?: () => void;
  readonly children?: ComponentChildren;
}

/** A form that makes something: what it sends is what is entered. */
export function NewForm<Made = void>(props: NewFormProps<Made>): JSX.Element {
  const { fields, begin, action, submit, done, cancel, children } = props;
  const empty = draftOf(fields, begin);
  const [draft, setDraft] = useState(empty);
  const [failure, setFailure] = useState<ApiFailure>();
  const [isUnderWay, setUnderWay] = useState(false);
  const [made, setMade] = useState<{ readonly thing: Made }>();
  useUnsaved(changedFields(fields, empty, draft).length > 0);
  useEffect(() => {
    if (made) done?.(made.thing);
  }, [made]);
  const run = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setUnderWay(true);
    setFailure(undefined);
    try {
      const thing = await submit(newBody(fields, draft));
      setDraft(empty);
      setMade({ thing });
    } catch (error) {
      setFailure(asFailure(error));
    }
    setUnderWay(false);
  };
  return (
    <form class="form" onSubmit={(event) => void run(event)}>
      <Fields fields={fields} draft={draft} change={setDraft} failure={failure} />
      {children}
      <div class="buttons">
        <button type="submit" class="main" disabled={isUnderWay}>
          {action}
        </button>
        {cancel && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}

/** The reader is asked before what is entered is lost by leaving. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => (isUnsaved ? keepUnsaved() : undefined), [isUnsaved]);
}
