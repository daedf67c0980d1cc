import { expect, test } from 'vitest';
import { issueApiKey, isValidKey } from './api-key-record.ts';
import { DerivedKeys } from './derived-keys.ts';
import { parseApiKey } from './key-format.ts';

const SECRET = 'a'.repeat(64);
const keys = new DerivedKeys(SECRET, 'a test');
const ANN = ['https://login.example', 'ann'];
const grant = { tenant: 'default', scopes: ['audit'], agents: ['*'], name: 'ann' } as const;

test('computes the same key again from its id, after a restart too', () => {
  const { key, id } = keys.make(ANN);
  expect(parseApiKey(key)).toEqual({ id });
  expect(new DerivedKeys(SECRET, 'a test').keyOf(id, ANN)).toBe(key);
});

test('makes another key each time', () => {
  const made = Array.from({ length: 100 }, () => keys.make(ANN).key);
  expect(new Set(made).size).toBe(100);
});

test('makes keys whose records refuse another owner, another purpose and another secret', () => {
  const made = keys.make(ANN);
  const { record } = issueApiKey(grant, () => 0, made);
  const isValid = (key: string) => isValidKey(record, key, 1);
  expect(isValid(made.key)).toBe(true);
  expect(isValid(keys.keyOf(made.id, ['https://login.example', 'bob']))).toBe(false);
  // The parts of a name must not be able to move into each other.
  expect(isValid(keys.keyOf(made.id, ['https://login.exampleann']))).toBe(false);
  expect(isValid(new DerivedKeys(SECRET, 'another').keyOf(made.id, ANN))).toBe(false);
  expect(isValid(new DerivedKeys('b'.repeat(64), 'a test').keyOf(made.id, ANN))).toBe(false);
});
