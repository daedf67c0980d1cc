/** The client of a call: it gets the answer, and it may leave at any time. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { ofThisRequest } from '@mandate/runtime';

export type Client = {
  /** Aborts when the client leaves before it has the whole answer. */
  left: AbortSignal;
  begin(status: number, statusText: string, headers: readonly string[]): void;
  /** Resolves when the client can take more, or has left. */
  send(bytes: Uint8Array): Promise<void>;
  /** Ends the answer. */
  end(last?: Uint8Array | string): void;
  /** Cuts the connection, so that the client sees that the answer is not whole. */
  cut(): void;
};

/** How long the socket of the client may be silent while the upstream works. */
const LONGEST_SILENCE_MS = 86_400_000;

export function clientOf(raw: ServerResponse): Client {
  const leaving = new AbortController();
  raw.once(
    'close',
    ofThisRequest(() => {
      if (!raw.writableFinished) leaving.abort();
    }),
  );
  // An upstream may think for longer than an idle connection lasts. The time-outs of the upstream count instead.
  raw.socket?.setTimeout(LONGEST_SILENCE_MS);
  return {
    left: leaving.signal,
    begin(status, statusText, headers) {
      raw.writeHead(status, statusText, [...headers]);
      raw.flushHeaders();
    },
    async send(bytes) {
      if (bytes.length === 0 || raw.destroyed || raw.write(bytes)) return;
      await Promise.race([once(raw, 'drain'), once(raw, 'close')]).catch(() => {});
    },
    end: (last) => void (last === undefined ? raw.end() : raw.end(last)),
    cut: () => void raw.destroy(),
  };
}
