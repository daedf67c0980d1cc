/**
 * A model in its own process: it reads each request, and answers at once with the same bytes. A request with
 * `"stream":true` gets a stream of twenty events.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const usage = { prompt_tokens: 300, completion_tokens: 20, total_tokens: 320 };
const head = { id: 'chatcmpl-1', created: 1_790_000_000, model: 'gpt-4o-mini' };
const message = { role: 'assistant', content: 'A short answer.'.repeat(8) };
const whole = JSON.stringify({
  ...{ ...head, object: 'chat.completion', usage },
  choices: [{ index: 0, message, finish_reason: 'stop' }],
});
const chunk = { ...head, object: 'chat.completion.chunk' };
const events = [
  ...Array.from({ length: 18 }, (_, at) => ({
    ...chunk,
    choices: [{ index: 0, delta: { content: ` word ${at}` }, finish_reason: null }],
  })),
  { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { ...chunk, choices: [], usage },
].map((event) => `data: ${JSON.stringify(event)}\n\n`);

const server = createServer(async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  if (!Buffer.concat(pieces).includes('"stream":true')) {
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(whole),
    });
    response.end(whole);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(event);
  response.end('data: [DONE]\n\n');
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('disconnect', () => process.exit());
