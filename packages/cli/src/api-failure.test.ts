import { ApiError } from '@mandate/client';
import { expect, test } from 'vitest';
import { ApiProblem, failureOf, MissingRoute } from './api-failure.ts';

const asked = { url: 'http://here', remedy: 'Send it after 90000 ms.' };

test.each([
  ['gateway', 'MANDATE_URL'],
  ['query', 'MANDATE_QUERY_URL'],
  ['alerter', 'MANDATE_ALERTER_URL'],
  ['control', 'MANDATE_CONTROL_URL'],
] as const)(
  'names the setting for the address if the route is missing and belongs to this service: %s',
  (service, setting) => {
    const failure = failureOf(new ApiError('no-route', 'no such service', { ...asked, service }));
    expect(failure).toBeInstanceOf(MissingRoute);
    expect(failure).toMatchObject({ exitCode: 1, remedy: expect.stringContaining(setting) });
  },
);

test.each([
  [400, 2],
  [409, 1],
  [429, 1],
  [503, 1],
])('a refusal with status %i ends the command with exit code %i', (status, exitCode) => {
  const facts = { ...asked, service: 'gateway', status, code: 'REFUSED', faults: [{ index: 1 }] } as const;
  const failure = failureOf(new ApiError('refused', 'wait 5000 ms', facts));
  expect(failure).toBeInstanceOf(ApiProblem);
  expect(failure).toMatchObject({
    ...{ exitCode, message: 'wait 5 s (REFUSED)', remedy: 'Send it after 90 s.' },
    ...{ status, code: 'REFUSED', faults: [{ index: 1 }] },
  });
});

test('says how to authenticate when the key is refused', () => {
  const facts = { ...asked, service: 'gateway', status: 401, code: 'UNAUTHENTICATED' } as const;
  const { remedy } = failureOf(new ApiError('refused', 'no key', facts));
  expect(remedy).toContain('MANDATE_API_KEY');
});

test.each(['unreachable', 'not-a-plane'] as const)(
  'says how to name another address if the address is %s',
  (reason) => {
    const failure = failureOf(new ApiError(reason, 'no plane', { ...asked, service: 'gateway' }));
    expect(failure).toMatchObject({ exitCode: 1, remedy: expect.stringContaining('--url') });
  },
);
