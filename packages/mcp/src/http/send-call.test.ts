import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { sendCall } from './send-call.ts';
import { ConnectionLost } from './upstream.ts';

/** Sends a call, and its first request gets no answer. `stops`: the call is cancelled after that. */
async function sendLost({ stops = false, isAnswered = false } = {}) {
  const ends = new AbortController();
  let sent = 0;
  const answer = { statusCode: 200, headers: {} } as IncomingMessage;
  const result = await sendCall({
    async send() {
      sent += 1;
      if (sent > 1) return answer;
      // When this runs, the pause has begun.
      if (stops) setImmediate(() => ends.abort());
      throw new ConnectionLost(new Error('socket hang up'));
    },
    mayRepeat: true,
    ends: ends.signal,
    isAnswered: () => isAnswered,
    onRepeat() {},
  }).catch((error: Error) => error.message);
  return { sent, result: result === answer ? 'the answer' : result };
}

const LOST = { sent: 1, result: 'socket hang up' };

test('sends a call once more after a pause', async () => {
  expect(await sendLost()).toEqual({ sent: 2, result: 'the answer' });
});

test('does not send a call again if it was cancelled during the pause', async () => {
  expect(await sendLost({ stops: true })).toEqual(LOST);
});

test('does not send a call again if its answer came during the pause, on another stream', async () => {
  expect(await sendLost({ isAnswered: true })).toEqual(LOST);
});
