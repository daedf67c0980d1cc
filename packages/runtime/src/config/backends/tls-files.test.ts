import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { readTlsFiles, tlsRemedy } from './tls-files.ts';

test('reads the files that settings name, and leaves out files that no setting names', () => {
  const path = join(temporaryFolder(), 'ca.pem');
  writeFileSync(path, 'PEM');
  expect(readTlsFiles('KAFKA', { KAFKA_TLS_CA_PATH: path })).toEqual({ ca: Buffer.from('PEM') });
  expect(readTlsFiles('REDIS', {})).toEqual({});
});

test('names the setting whose file cannot be read', () => {
  const gone = { REDIS_TLS_KEY_PATH: '/nowhere/own.key' };
  expect(() => readTlsFiles('REDIS', gone)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/^MANDATE_REDIS_TLS_KEY_PATH: \/nowhere\/own.key cannot be read/),
    }),
  );
});

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', /MANDATE_KAFKA_TLS_CA_PATH/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /Use a name in the certificate/],
  ['CERT_HAS_EXPIRED', /Renew/],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', /MANDATE_KAFKA_TLS_CERT_PATH/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', /does not use TLS/],
  ['EPROTO', /does not use TLS/],
])('has a remedy for %s, even if this error is the cause of another error', (code, remedy) => {
  const failure = Object.assign(new Error('refused'), { code });
  expect(tlsRemedy('KAFKA', failure)).toMatch(remedy);
  expect(tlsRemedy('KAFKA', new Error('no connection', { cause: failure }))).toMatch(remedy);
});

test('has no remedy for errors that TLS did not cause', () => {
  for (const error of [
    new Error('x'),
    Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
    'x',
    undefined,
  ])
    expect(tlsRemedy('REDIS', error)).toBe(null);
});
