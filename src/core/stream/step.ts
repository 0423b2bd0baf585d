/**
 * A synchronous stage of a stream: bytes to frames, frames to events, events to events. Keeps the state of one reply,
 * so one instance serves one reply. Outputs are appended to the caller's array: a chunk of many events costs one array.
 */
export interface Step<In, Out> {
  push(input: In, out: Out[]): void;
  /** The input has ended well. Called once, after the last `push`. */
  end(out: Out[]): void;
}

/** Two steps as one. */
export function chain<In, Mid, Out>(first: Step<In, Mid>, second: Step<Mid, Out>): Step<In, Out> {
  const between: Mid[] = [];
  const forward = (out: Out[]): void => {
    for (let index = 0; index < between.length; index++) second.push(between[index]!, out);
    between.length = 0;
  };
  return {
    push(input, out) {
      // What the first gave before it failed goes on as well: it was said.
      try {
        first.push(input, between);
      } finally {
        forward(out);
      }
    },
    end(out) {
      first.end(between);
      forward(out);
      second.end(out);
    },
  };
}
