/** How calls and streams reach a server; knows no method. */

/** An open stream. */
export interface Channel {
  /** Send a line to the server. */
  send(line: unknown): void;
  /** End the stream; nothing is reported afterwards. */
  close(): void;
}

/** What happens on a stream, in order: the acknowledgement, frames, then the end, once. */
export interface ChannelEvents {
  acknowledged(result: unknown): void;
  frame(frame: unknown): void;
  /** `error` says why, if there was a reason beside an ordinary end. */
  ended(error?: Error): void;
}

export interface Transport {
  call(method: string, params: object, signal?: AbortSignal): Promise<unknown>;
  open(method: string, params: object, events: ChannelEvents): Channel;
}

/** Turns the messages of one stream into events; the first message is the answer. */
export class Opening {
  private answered = false;
  private over = false;

  constructor(
    private readonly events: ChannelEvents,
    private readonly refuse: (error: unknown) => Error,
  ) {}

  /** Take a message. */
  message(value: { result?: unknown; error?: unknown }): void {
    if (this.over) return;
    if (value.error !== undefined) {
      this.end(this.refuse(value.error));
    } else if (this.answered) {
      this.events.frame(value);
    } else {
      this.answered = true;
      this.events.acknowledged(value.result);
    }
  }

  /** Take the end. */
  end(error?: Error): void {
    if (this.over) return;
    this.over = true;
    this.events.ended(error);
  }

  /** Report nothing more. */
  forget(): void {
    this.over = true;
  }
}
