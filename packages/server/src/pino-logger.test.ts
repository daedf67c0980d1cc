import { MandateError, silentLogger } from '@mandate/runtime';
import { expect, test } from 'vitest';
import { issueApiKey } from './api-keys/api-key-record.ts';
import { createLogger } from './pino-logger.ts';

function logLines() {
  const lines: string[] = [];
  const log = createLogger({ name: 'gateway', destination: { write: (line) => lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? 'null') };
}

test('writes the service, the level and the time in each line', () => {
  const { log, last } = logLines();
  log.warn({ partition: 3 }, 'behind');
  expect(last()).toEqual({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    service: 'gateway',
    partition: 3,
    msg: 'behind',
  });
});

test('writes no lines below the chosen level', () => {
  const { log, lines } = logLines();
  log.debug('x');
  expect(lines).toEqual([]);
});

test.each([
  { authorization: 'hush' },
  { headers: { authorization: 'hush', 'x-api-key': 'hush', cookie: 'hush' } },
  { req: { headers: { authorization: 'hush', 'x-api-key': 'hush', 'proxy-authorization': 'hush' } } },
  { apiKey: 'hush', key: 'hush', secret: 'hush', token: 'hush', password: 'hush' },
  { redis: { password: 'hush' } },
])('censors fields with secrets: %j', (fields) => {
  const { log, lines } = logLines();
  log.info(fields, 'x');
  expect(lines.at(-1)).toContain('[secret]');
  expect(lines.at(-1)).not.toContain('hush');
});

test.each(['sk-mdt_', 'mdt_'])('censors an API key in any field: %s', (prefix) => {
  const issued = issueApiKey({ tenant: 't', scopes: ['publish'], agents: ['*'], name: 'n' });
  const key = issued.key.replace('sk-mdt_', prefix);
  const { log, lines } = logLines();
  log.info({ deep: { er: { than: { rules: [key] } } } }, `refused ${key}, cut ${key.slice(0, 40)}`);
  log.error({ err: new Error(`bad key ${key}`) }, 'x');
  const text = lines.join('\n');
  expect(text).not.toContain(issued.record.id);
  expect(text.replaceAll('sk-mdt_[secret]', '')).not.toMatch(/sk-|mdt_/);
  expect(text.match(/sk-mdt_\[secret\]/g)?.length).toBeGreaterThanOrEqual(4);
});

test('writes the code, the remedy and the cause of an error', () => {
  const { log, last } = logLines();
  const cause = new Error('socket hang up');
  log.error({ err: new MandateError('LEDGER_UNAVAILABLE', 'no ledger', { remedy: 'start it', cause }) }, 'x');
  expect(last().err).toMatchObject({ code: 'LEDGER_UNAVAILABLE', remedy: 'start it', retryable: false });
  expect(last().err.stack).toContain('socket hang up');
});

test('writes nothing as a silent logger', () => {
  expect(silentLogger().isLevelEnabled('fatal')).toBe(false);
});
