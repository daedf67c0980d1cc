import { expect, test } from 'vitest';
import { askedTools } from '../adapters/asked-tools.ts';
import { findAskedTools, isWholeReply } from './read-reply.ts';

function askedIn(...answers: object[]) {
  const asked = askedTools();
  for (const answer of answers) findAskedTools(answer as Record<string, unknown>, asked);
  return Object.fromEntries(asked.counts().map(({ tool, calls }) => [tool, calls]));
}

const fn = (name: string) => ({ type: 'function', function: { name, arguments: '{}' } });

test('finds the tools of each choice of a chat, also custom tools and the old field', () => {
  const custom = { type: 'custom', custom: { name: 'shell', input: 'ls' } };
  const choices = [
    { index: 0, message: { tool_calls: [fn('read'), fn('read'), custom] } },
    { index: 1, message: { function_call: { name: 'read', arguments: '{}' } } },
    { index: 2, message: { content: 'no tool' } },
  ];
  expect(askedIn({ choices })).toEqual({ read: 3, shell: 1 });
});

test('counts a call of a streamed chat once, although many events belong to it', () => {
  const event = (tool_calls: object[]) => ({ choices: [{ index: 0, delta: { tool_calls } }] });
  expect(
    askedIn(
      event([{ index: 0, ...fn('read') }]),
      event([{ index: 0, function: { arguments: '{"a"' } }]),
      // Some servers repeat the name.
      event([{ index: 0, ...fn('read') }]),
      event([{ index: 1, ...fn('read') }]),
      { choices: [{ index: 0, delta: { function_call: { name: 'old' } } }] },
    ),
  ).toEqual({ read: 2, old: 1 });
});

test('counts parallel calls of servers that send only ids', () => {
  const event = (id: string) => ({ choices: [{ delta: { tool_calls: [{ id, ...fn('read') }] } }] });
  expect(askedIn(event('a'), event('b'))).toEqual({ read: 2 });
});

test('finds the tools of a response, also those that the provider runs itself', () => {
  const output = [
    { type: 'reasoning' },
    { type: 'function_call', name: 'read' },
    { type: 'custom_tool_call', name: 'shell' },
    { type: 'mcp_call', name: 'ask' },
    { type: 'web_search_call' },
    { type: 'message' },
  ];
  const asked = { read: 1, shell: 1, ask: 1, web_search: 1 };
  expect(askedIn({ output })).toEqual(asked);
  const added = output.map((item, output_index) => ({
    ...{ type: 'response.output_item.added', output_index, item },
  }));
  const done = added.map((event) => ({ ...event, type: 'response.output_item.done' }));
  expect(askedIn(...added, ...done, { type: 'response.completed', response: { output } })).toEqual(asked);
});

test('the tools of a reply are known only if all of the reply is read', () => {
  for (const reply of [{ choices: [] }, { output: [] }, { data: [] }]) expect(isWholeReply(reply)).toBe(true);
  // Only the usage of a long reply is read.
  for (const part of [{}, { usage: {} }, { choices: 'none' }]) expect(isWholeReply(part)).toBe(false);
});
