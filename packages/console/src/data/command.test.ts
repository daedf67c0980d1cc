import { expect, test } from 'vitest';
import { command } from './command.ts';

test('leaves out options without an argument, and writes options that take no value', () => {
  expect(command('approvals list', { agent: 'bot-1', from: undefined, all: true, csv: false })).toBe(
    'mandate approvals list --agent bot-1 --all',
  );
});

test('quotes values that a shell would change', () => {
  expect(command('agents show', { a: "it's $HOME", b: '', c: 'Europe/Berlin' })).toBe(
    "mandate agents show --a 'it'\\''s $HOME' --b '' --c Europe/Berlin",
  );
});
