import { expect, test } from 'vitest';
import { readMessage } from './read-message.ts';

test.each([
  ['a request', '{"jsonrpc":"2.0","id":1,"method":"ping"}', { kind: 'request', id: '1', method: 'ping' }],
  ['a request with a text as id', '{"id":"1","method":"ping"}', { kind: 'request', id: '"1"' }],
  ['a notification', '{"method":"notifications/x"}', { kind: 'notification', method: 'notifications/x' }],
  ['a result', '{"id":1,"result":{"a":1}}', { kind: 'response', id: '1', isError: false }],
  ['an error', '{"id":1,"error":{"code":1}}', { kind: 'response', id: '1', isError: true, result: null }],
  ['an error without an id', '{"id":null,"error":{"code":1}}', { kind: 'response', id: 'null' }],
  ['a message with unknown fields', '{"id":1,"method":"ping","Extra":[1],"extra":2}', { kind: 'request' }],
])('reads %s', (_, text, read) => {
  expect(readMessage(text)).toMatchObject(read);
});

test.each([
  ['no JSON', 'hello', -32700],
  ['a list', '[{"id":1,"method":"ping"}]', -32600],
  ['a number', '7', -32600],
  ['two methods', '{"id":1,"method":"tools/call","method":"ping"}', -32600],
  ['two methods, one of them escaped', '{"id":1,"method":"ping","\\u006dethod":"tools/call"}', -32600],
  ['a method in another spelling', '{"id":1,"method":"ping","Method":"tools/call"}', -32600],
  ['two lists of parameters', '{"id":1,"method":"x","params":{},"PARAMS":{}}', -32600],
  ['two ids', '{"id":1,"id":2,"method":"ping"}', -32600],
  ['an id that is a list', '{"id":[1],"method":"ping"}', -32600],
  ['an id that is nothing', '{"id":null,"method":"ping"}', -32600],
  ['a method that is no text', '{"id":1,"method":["tools/call"]}', -32600],
  ['neither method nor result', '{"id":1}', -32600],
])('refuses %s', (_, text, code) => {
  expect(readMessage(text)).toMatchObject({ kind: 'invalid', code });
});

const DEEP = '['.repeat(50_000) + ']'.repeat(50_000);

test('refuses an id that is neither a short text nor a number', () => {
  for (const id of [DEEP, 'null', 'true', '{}', `"${'x'.repeat(5_000)}"`])
    expect(readMessage(`{"id":${id},"method":"ping"}`)).toMatchObject({ kind: 'invalid', id: 'null' });
});

test('refuses a key that a server could read as a known key', () => {
  for (const key of ['Method', 'param\\u017f', 'METHOD', 'method\\u0000x'])
    expect(readMessage(`{"id":1,"method":"ping","params":{},"${key}":{}}`).kind).toBe('invalid');
});

test('reads an answer with a null error as a result, and refuses an answer with both', () => {
  expect(readMessage('{"id":1,"error":null,"result":{}}')).toMatchObject({
    kind: 'response',
    isError: false,
    result: { value: {} },
  });
  expect(readMessage('{"id":1,"error":{"code":1},"result":{}}').kind).toBe('invalid');
});
