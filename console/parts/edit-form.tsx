import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { asFailure, type ApiFailure } from '../api/transport.js';
import { Dialog } from './dialog.js';
import { Difference } from './difference.js';
import { Fields, useUnsaved } from './form.js';
import { changeBody, changedFields, draftOf, refusedField, type Draft, type Field } from './form-fields.js';
import { Failure } from './states.js';

interface EditFormProps<Thing extends object> {
  readonly fields: readonly Field[];
  /** The object as the API returned it. */
  readonly of: Thing;
  /** Name of the object for the title: `key “Support”`. */
  readonly name: string;
  /** Reads it again, to see whether another person has changed it meanwhile. */
  readonly read: () => Promise<Thing>;
  /** Saves a body that has what differs. @returns the thing as it is then */
  readonly save: (body: Readonly<Record<string, unknown>>) => Promise<Thing>;
  readonly saved: (thing: Thing) => void;
}

/** A conflict with another person's change, which the reader resolves before saving. */
interface Question {
  /** Values that are stored now. */
  readonly stored: Draft;
  /** Fields that another person has changed since the form was opened. */
  readonly others: readonly Field[];
}

/**
 * A form that changes something. It is read again first; the difference is shown before it is saved, and what another
 * person has changed meanwhile.
 */
export function EditForm<Thing extends object>(props: EditFormProps<Thing>): JSX.Element {
  const { fields, of, read } = props;
  const [base, setBase] = useState(() => draftOf(fields, of));
  const [draft, setDraft] = useState(base);
  const [question, setQuestion] = useState<Question>();
  const [failure, setFailure] = useState<ApiFailure>();
  const [isSaved, setSaved] = useState(false);
  const isDirty = changedFields(fields, base, draft).length > 0;
  useUnsaved(isDirty);
  const begin = (stored: Draft): void => {
    setBase(stored);
    setDraft(stored);
    setFailure(undefined);
  };
  const review = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setFailure(undefined);
    setSaved(false);
    try {
      const stored = draftOf(fields, await read());
      setQuestion({ stored, others: changedFields(fields, base, stored) });
    } catch (error) {
      setFailure(asFailure(error));
    }
  };
  return (
    <form class="form" onSubmit={(event) => void review(event)}>
      <Fields fields={fields} draft={draft} change={setDraft} failure={failure} />
      <div class="buttons">
        <button type="submit" class="main" disabled={!isDirty}>
          Review the change
        </button>
        <button type="button" disabled={!isDirty} onClick={() => begin(base)}>
          Undo
        </button>
        <span role="status" class="hint">
          {isDirty ? 'Not saved yet.' : isSaved ? 'Saved.' : ''}
        </span>
      </div>
      {question && (
        <Review
          {...props}
          base={base}
          draft={draft}
          question={question}
          close={() => setQuestion(undefined)}
          begin={begin}
          refuse={setFailure}
          done={() => setSaved(true)}
        />
      )}
    </form>
  );
}

interface ReviewProps<Thing extends object> extends EditFormProps<Thing> {
  readonly base: Draft;
  readonly draft: Draft;
  readonly question: Question;
  readonly close: () => void;
  readonly begin: (stored: Draft) => void;
  readonly refuse: (failure: ApiFailure) => void;
  readonly done: () => void;
}

function Review<Thing extends object>(props: ReviewProps<Thing>): JSX.Element {
  const { fields, name, base, draft, question, save, saved, close, begin, refuse, done } = props;
  const [failure, setFailure] = useState<ApiFailure>();
  const [isUnderWay, setUnderWay] = useState(false);
  const own = changedFields(fields, base, draft);
  // Fields that the reader did not edit keep the other person's values.
  const next = { ...question.stored, ...Object.fromEntries(own.map((field) => [field.name, draft[field.name]!])) };
  const run = async (): Promise<void> => {
    setUnderWay(true);
    try {
      const thing = await save(changeBody(fields, question.stored, next));
      begin(draftOf(fields, thing));
      done();
      saved(thing);
      close();
    } catch (error) {
      const failed = asFailure(error);
      setUnderWay(false);
      if (!refusedField(fields, failed)) return setFailure(failed);
      close();
      refuse(failed);
    }
  };
  return (
    <Dialog title={`Save the change of ${name}?`} close={close}>
      {question.others.length > 0 && (
        <div class="failure" role="alert">
          <p>Another person has changed this since you opened it:</p>
          <Difference
            caption="Changed meanwhile"
            fields={question.others}
            before={base}
            after={question.stored}
            titles={['When you opened it', 'Now']}
          />
        </div>
      )}
      <Difference
        caption="Your change"
        fields={changedFields(fields, question.stored, next)}
        before={question.stored}
        after={next}
      />
      {failure && <Failure failure={failure} />}
      <div class="buttons">
        <button type="button" onClick={close}>
          Go on editing
        </button>
        {question.others.length > 0 && (
          <button
            type="button"
            onClick={() => {
              begin(question.stored);
              close();
            }}
          >
            Take theirs
          </button>
        )}
        <button type="button" class="main" disabled={isUnderWay} onClick={() => void run()}>
          Save
        </button>
      </div>
    </Dialog>
  );
}
