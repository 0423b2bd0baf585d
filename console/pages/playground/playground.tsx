import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { asFailure, sendWithKey, type ApiFailure } from '../../api/transport.js';
import { Failure } from '../../parts/states.js';
import { FORMATS, type Entered, type FormatId } from './formats.js';
import { PlaygroundForm } from './playground-form.js';
import { EMPTY_REPLY, readEvents, withEvent, type Reply } from './reply.js';
import { ShownReply } from './shown-reply.js';

type Progress = 'nothing' | 'under way' | 'complete' | 'stopped';

/** A request to a model, with its format and key. */
export interface Request extends Entered {
  readonly format: FormatId;
  readonly key: string;
}

/** A request to a model by an inference key, which is in the memory of this page alone, and its reply as it comes. */
export function Playground(): JSX.Element {
  const [reply, setReply] = useState<Reply>();
  const [failure, setFailure] = useState<ApiFailure>();
  const [progress, setProgress] = useState<Progress>('nothing');
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const run = async ({ format, key, ...entered }: Request): Promise<void> => {
    const abort = new AbortController();
    running.current = abort;
    setFailure(undefined);
    setReply(EMPTY_REPLY);
    setProgress('under way');
    const { path, bodyOf } = FORMATS.find(({ id }) => id === format)!;
    try {
      const body = await sendWithKey(`api/v1/${path}`, key, bodyOf(entered), abort.signal);
      for await (const event of readEvents(body)) setReply((before) => withEvent(before ?? EMPTY_REPLY, event));
      setProgress('complete');
    } catch (error) {
      setProgress('stopped');
      if (!abort.signal.aborted) setFailure(asFailure(error));
    }
  };
  return (
    <>
      <h1 tabIndex={-1}>Playground</h1>
      <p>
        Sends a request to a model, by an inference key of yours, and charges it. The key stays in the memory of this
        page: it is gone when the page is left.
      </p>
      <div class="panels">
        <section class="panel" aria-label="Request">
          <PlaygroundForm
            isUnderWay={progress === 'under way'}
            send={(request) => void run(request)}
            stop={() => running.current?.abort()}
          />
        </section>
        <section class="panel" aria-label="Reply">
          <p role="status" class="hint">
            {STATES[progress]}
          </p>
          {failure && <Failure failure={failure} />}
          {reply && <ShownReply reply={reply} />}
        </section>
      </div>
    </>
  );
}

const STATES: Readonly<Record<Progress, string>> = {
  nothing: 'The reply is shown here.',
  'under way': 'The reply is coming …',
  complete: 'The reply is complete.',
  stopped: 'The reply was stopped.',
};
