/** The server behind the proxy, as the proxy over stdio uses it: a process, or a server over HTTP. */
import type { Readable, Writable } from 'node:stream';

export type ServerEnd = { code: number | null; signal: NodeJS.Signals | null; error: Error | null };

export type ServerLink = {
  /** Each write must be one whole line. */
  readonly input: Writable;
  /** Lines of the server. */
  readonly output: Readable;
  /** Resolves when the server has ended, or could not be started. */
  readonly ended: Promise<ServerEnd>;
  /** Ends the server, or the connection to it. After that, no process and no connection of it is left. */
  stop(): Promise<void>;
  /** Sets the listener for requests that get no answer. A server process always answers, or ends. */
  onUnanswered?(listener: (unanswered: Unanswered) => void): void;
};

/**
 * A request that gets no answer.
 *
 * `refused`: the server did not run it. `frame`: the message for the client. `lost`: the server may have run it.
 */
export type Unanswered = { id: string } & (
  | { kind: 'refused'; frame: string }
  | { kind: 'lost'; why: string }
);
