import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { sayWarnings } from './say-warnings.ts';

function warning(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

test('logs warnings of Node, except warnings that need no action', () => {
  const process = new EventEmitter();
  const said: string[] = [];
  sayWarnings(process, ({ message }) => said.push(message));
  process.emit('warning', warning('TimeoutNegativeWarning', '-5 is a negative number.'));
  process.emit('warning', warning('ExperimentalWarning', 'SQLite is an experimental feature'));
  process.emit('warning', warning('ExperimentalWarning', 'something else is experimental'));
  process.emit('warning', warning('MaxListenersExceededWarning', 'a possible leak'));
  expect(said).toEqual(['something else is experimental', 'a possible leak']);
});
