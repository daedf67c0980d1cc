import { expect, test } from 'vitest';
import { readMessage } from '../messages/read-message.ts';
import { disguiseFault, type GovernedMethod, subjectOf } from './subjects.ts';

function subject(method: GovernedMethod, params: string, prefix = '') {
  const request = readMessage(`{"id":1,"method":"${method}","params":${params}}`);
  if (request.kind !== 'request') throw new Error(`no request: ${params}`);
  return subjectOf({ ...request, method }, prefix);
}

test.each<[GovernedMethod, string, object]>([
  ['tools/call', '{"name":"pay","arguments":{"to":"ann"}}', { tool: 'f.pay', args: { to: 'ann' } }],
  ['tools/call', '{"name":"pay"}', { tool: 'f.pay', args: {} }],
  ['resources/read', '{"uri":"file:///a"}', { tool: 'f.resources/read', args: { uri: 'file:///a' } }],
  ['prompts/get', '{"name":"p"}', { tool: 'f.prompts/get', args: { name: 'p', arguments: {} } }],
])('%s with %s is an action', (method, params, action) => {
  expect(subject(method, params, 'f.')).toEqual({ ok: true, subject: action });
});

test.each<[string, GovernedMethod, string]>([
  ['two names', 'tools/call', '{"name":"read","name":"delete"}'],
  ['a name in another spelling', 'tools/call', '{"name":"read","Name":"delete"}'],
  ['two values of one argument', 'tools/call', '{"name":"pay","arguments":{"to":"ann","to":"bob"}}'],
  ['two values deep in an argument', 'tools/call', '{"name":"pay","arguments":{"a":[{"b":1,"b":2}]}}'],
  ['a number that is rounded', 'tools/call', '{"name":"pay","arguments":{"amount":9007199254740993}}'],
  ['arguments that are a list', 'tools/call', '{"name":"pay","arguments":[1]}'],
  ['no name', 'tools/call', '{"arguments":{}}'],
  ['the name of the action of another method', 'tools/call', '{"name":"resources/read"}'],
  ['an address that is no text', 'resources/read', '{"uri":["file:///a"]}'],
  ['two addresses', 'resources/read', '{"uri":"file:///a","URI":"file:///b"}'],
  ['no parameters', 'prompts/get', '7'],
])('refuses %s', (_, method, params) => {
  expect(subject(method, params)).toMatchObject({ ok: false, why: expect.stringMatching(/\.$/) });
});

function disguised(text: string): boolean {
  const message = readMessage(text);
  if (message.kind === 'invalid' || message.kind === 'response') throw new Error('it has no method');
  return disguiseFault(message) !== null;
}

test('a call without an id does not pass, because some servers run it', () => {
  expect(disguised('{"method":"tools/call","params":{"name":"a"}}')).toBe(true);
  expect(disguised('{"id":1,"method":"tools/call","params":{"name":"a"}}')).toBe(false);
  expect(disguised('{"method":"notifications/cancelled"}')).toBe(false);
});

test('a method does not pass that a server could read as a governed one', () => {
  for (const method of [
    'Tools/Call',
    ' tools/call',
    'tools/call\\n',
    'tool\\u017f/call',
    'tools/call\\u0000x',
  ])
    expect(disguised(`{"id":1,"method":"${method}"}`)).toBe(true);
});

test('refuses parameters that a server could read as other arguments', () => {
  const message = readMessage(
    '{"id":1,"method":"tools/call","params":{"name":"a","arguments":{},"argument\\u017f":{"b":1}}}',
  );
  if (message.kind !== 'request') throw new Error('it is no request');
  expect(subjectOf({ ...message, method: 'tools/call' }, '').ok).toBe(false);
});
