import { MandateError } from '@mandate/runtime';
import { ReplyError } from 'ioredis';
import { expect, test } from 'vitest';
import { ledgerFailure } from './failure.ts';

test.each([
  'LOADING Redis is loading the dataset in memory',
  "READONLY You can't write against a read only replica.",
  "OOM command not allowed when used memory > 'maxmemory'.",
  'NOREPLICAS Not enough good replicas to write.',
  'CLUSTERDOWN The cluster is down',
  'MISCONF Redis is configured to save RDB snapshots',
  'NOPERM this user has no permissions',
  'NOSCRIPT No matching script. Please use EVAL.',
])('the error reply %s is retryable, and its message has the code', (message) => {
  const [code] = message.split(' ');
  expect(ledgerFailure(new ReplyError(message))).toMatchObject({
    code: 'LEDGER_UNAVAILABLE',
    retryable: true,
    message: `Redis answered ${code}.`,
  });
});

test.each([
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' }),
  new Error('Command timed out'),
  new Error('Connection is closed.'),
  'no error at all',
])('%s counts as a broken connection and is retryable', (error) => {
  expect(ledgerFailure(error)).toMatchObject({ code: 'LEDGER_UNAVAILABLE', retryable: true });
});

test.each([
  'ERR user_script:3: attempt to index a nil value',
  'WRONGTYPE Operation against a key',
  'CROSSSLOT Keys',
])('the error reply %s is a defect and is thrown unchanged', (message) => {
  const defect = new ReplyError(message);
  expect(ledgerFailure(defect)).toBe(defect);
});

test('removes the command from a logged error, because it may contain a password or a request', () => {
  const answer = new ReplyError('WRONGPASS invalid username-password pair');
  Object.assign(answer, { command: { name: 'hello', args: ['3', 'AUTH', 'ledger', 'hush'] } });
  const ofCluster = Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError: answer });
  for (const error of [answer, ofCluster]) {
    const failure = ledgerFailure(error);
    expect(failure).toMatchObject({
      message: 'Redis answered WRONGPASS.',
      remedy: expect.stringContaining('MANDATE_REDIS_PASSWORD'),
      cause: answer,
    });
    expect(answer).not.toHaveProperty('command');
  }
});

test('keeps the code of a Mandate error', () => {
  const error = new MandateError('LEDGER_CORRUPT', 'said', { remedy: 'done' });
  expect(ledgerFailure(error)).toBe(error);
});
