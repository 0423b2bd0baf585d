/**
 * A synchronous stage of a stream: bytes to frames, frames to events, events to events. It keeps the state of one
 * reply, so one instance serves one reply. Outputs are appended to the caller's array: a chunk of many events costs one
 * array.
 */
export interface StreamStage<In, Out> {
  push(input: In, out: Out[]): void;
  /** The input has ended without a fault. Called once, after the last `push`. */
  end(out: Out[]): void;
}

/** Combines two steps into one. */
export const chain = <In, Mid, Out>(first: StreamStage<In, Mid>, second: StreamStage<Mid, Out>): StreamStage<In, Out> =>
  new Chain(first, second);

class Chain<In, Mid, Out> implements StreamStage<In, Out> {
  private readonly between: Mid[] = [];

  constructor(
    private readonly first: StreamStage<In, Mid>,
    private readonly second: StreamStage<Mid, Out>,
  ) {}

  push(input: In, out: Out[]): void {
    // The outputs of the first step before its failure are passed on as well.
    try {
      this.first.push(input, this.between);
    } finally {
      this.forward(out);
    }
  }

  end(out: Out[]): void {
    this.first.end(this.between);
    this.forward(out);
    this.second.end(out);
  }

  private forward(out: Out[]): void {
    const { between } = this;
    for (let index = 0; index < between.length; index++) this.second.push(between[index]!, out);
    // Emptied by `pop`: setting the length to 0 would free its memory after every event.
    while (between.length > 0) between.pop();
  }
}
