import { expect, test } from 'vitest';
import { type StreamEnd, watchBody, withBody } from './watch-body.ts';

function scene(chunks: number, onPull: (sent: number) => void = () => {}) {
  const seen: string[] = [];
  const ends: StreamEnd[] = [];
  let cancelled: unknown = null;
  let sent = 0;
  const source = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        onPull(sent);
        sent += 1;
        if (sent > chunks) controller.close();
        else controller.enqueue(new TextEncoder().encode(`${sent}`));
      },
      cancel(reason) {
        cancelled = reason;
      },
    },
    { highWaterMark: 0 },
  );
  const stop = new AbortController();
  const body = watchBody(source, {
    piece: (bytes) => seen.push(new TextDecoder().decode(bytes)),
    end: async (how) => {
      ends.push(how);
    },
    signal: stop.signal,
  });
  return { body, seen, ends, stop, sent: () => sent, cancelled: () => cancelled };
}

test('the reader gets the same bytes, and the watcher learns that the body finished', async () => {
  const { body, seen, ends } = scene(3);
  expect(await new Response(body).text()).toBe('123');
  expect([seen, ends]).toEqual([['1', '2', '3'], ['finished']]);
});

test('nothing is read before the reader asks, and a reader that leaves cancels the source', async () => {
  const { body, ends, sent, cancelled } = scene(3);
  const reader = body.getReader();
  expect(sent()).toBe(0);
  await reader.read();
  expect(sent()).toBe(1);
  await reader.cancel('enough');
  expect([ends, cancelled(), sent()]).toEqual([['left'], 'enough', 1]);
});

test('an abort ends the body with its reason, and cancels the source', async () => {
  const { body, ends, stop, cancelled } = scene(3);
  const reader = body.getReader();
  await reader.read();
  const reason = new Error('killed');
  stop.abort(reason);
  await expect(reader.read()).rejects.toBe(reason);
  expect([ends, cancelled()]).toEqual([['broken'], reason]);
});

test('an error of the source is the error of the reader', async () => {
  const error = new Error('cut');
  const { body, ends } = scene(3, (sent) => {
    if (sent === 1) throw error;
  });
  await expect(new Response(body).text()).rejects.toBe(error);
  expect(ends).toEqual(['broken']);
});

test('a reader may bring its own buffer', async () => {
  const { body } = scene(1);
  const reader = body.getReader({ mode: 'byob' });
  const { value } = await reader.read(new Uint8Array(8));
  expect(new TextDecoder().decode(value)).toBe('1');
  expect((await reader.read(new Uint8Array(8))).done).toBe(true);
});

test('a response with another body keeps its url and status', async () => {
  const given = await fetch('data:text/plain,abc');
  const { body } = scene(2);
  const changed = withBody(given, body);
  expect([changed.url, changed.status, changed.type, changed.headers.get('content-type')]).toEqual([
    given.url,
    200,
    given.type,
    'text/plain',
  ]);
  expect(await changed.text()).toBe('12');
});

test('a piece that shares its memory with other buffers leaves them as they are', async () => {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from('a small buffer'));
      controller.close();
    },
  });
  const { signal } = new AbortController();
  const body = watchBody(source, { end: async () => {}, signal });
  expect(await new Response(body).text()).toBe('a small buffer');
  expect(Buffer.from('another').toString()).toBe('another');
});

test('the watcher may replace pieces, and the reader waits for the next one if nothing is left', async () => {
  const { signal } = new AbortController();
  const source = new Response('dropped').body ?? new ReadableStream();
  const body = watchBody(source, { replace: async () => new Uint8Array(), end: async () => {}, signal });
  expect(await new Response(body).text()).toBe('');
});
