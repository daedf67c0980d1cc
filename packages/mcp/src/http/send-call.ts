/**
 * Sends an allowed call to the server. A call that may be repeated is sent once more if the server gave no answer to it.
 * Both requests are one action: the call was decided once, and is charged once.
 */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionLost } from './upstream.ts';

type Sending = {
  send(): Promise<IncomingMessage>;
  mayRepeat: boolean;
  /** Aborts when the call must not be sent again. */
  ends: AbortSignal;
  /** True if the answer came on another stream in the meantime. */
  isAnswered(): boolean;
  /** Is called before the call is sent again. */
  onRepeat(why: string): void;
};

/** The pause before the second request. A server that restarts often accepts requests after this time. */
const PAUSE_MS = 200;
/** The statuses with which a gateway says that the server behind it gave no answer. */
const NO_ANSWER: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Resolves with the answer when its headers have arrived.
 *
 * @throws the error of the last request
 */
export async function sendCall({
  send,
  mayRepeat,
  ends,
  isAnswered,
  onRepeat,
}: Sending): Promise<IncomingMessage> {
  if (!mayRepeat) return send();
  const first = await send().catch((error: unknown) => {
    if (error instanceof ConnectionLost) return error;
    throw error;
  });
  if (!(first instanceof ConnectionLost)) {
    const { statusCode = 0, headers } = first;
    // A server that names a time to wait does not want the call earlier.
    if (!NO_ANSWER.has(statusCode) || headers['retry-after'] !== undefined) return first;
    first.destroy();
  }
  const lost =
    first instanceof ConnectionLost ? first : new Error(`it answered with status ${first.statusCode}`);
  await sleep(PAUSE_MS, undefined, { signal: ends }).catch(() => {});
  if (ends.aborted || isAnswered()) throw lost;
  onRepeat(lost.message);
  return send();
}
