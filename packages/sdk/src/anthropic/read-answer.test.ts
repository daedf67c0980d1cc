/**
 * Tests which tools an answer calls, and in which cases they are unknown. If they are unknown, a limit charges one tool
 * call.
 */
import { expect, test } from 'vitest';
import { jsonReader, streamReader } from './read-answer.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const event = (data: object) => bytes(`event: x\ndata: ${JSON.stringify(data)}\n\n`);
const asks = { type: 'tool_use', name: 'read' };

function toolsOf(reader: ReturnType<typeof jsonReader>, ...pieces: Uint8Array[]) {
  for (const piece of pieces) reader.piece(piece);
  return reader.ended('finished').delivery.toolCalls;
}

test('finds the tools that a JSON answer calls, if any', () => {
  const answer = (...content: object[]) => bytes(JSON.stringify({ content, usage: {} }));
  expect(toolsOf(jsonReader(), answer(asks, { type: 'text', text: 'Hi' }, asks))).toEqual([
    { tool: 'read', calls: 2 },
  ]);
  expect(toolsOf(jsonReader(), answer({ type: 'text', text: 'Hi' }))).toEqual([]);
});

test('the tools of an answer are unknown if it is too long, cut or not a message', () => {
  const long = { content: [asks, { type: 'text', text: 'x'.repeat(5_000_000) }], usage: {} };
  expect(toolsOf(jsonReader(), bytes(JSON.stringify(long)))).toBeUndefined();
  expect(toolsOf(jsonReader(), bytes('no JSON'))).toBeUndefined();
  expect(jsonReader().ended('broken').delivery.toolCalls).toBeUndefined();
});

test('finds the tools in the delivered part of a stream; the others are unknown if an event is too long', () => {
  const begin = event({ type: 'content_block_start', index: 0, content_block: asks });
  expect(toolsOf(streamReader())).toEqual([]);
  expect(toolsOf(streamReader(), begin)).toEqual([{ tool: 'read', calls: 1 }]);
  const endless = bytes('x'.repeat(33 * 1024 * 1024));
  expect(toolsOf(streamReader(), endless)).toBeUndefined();
  expect(toolsOf(streamReader(), begin, endless)).toEqual([{ tool: 'read', calls: 1 }]);
});
