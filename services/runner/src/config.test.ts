import { loadConfig } from '@mandate/runtime/settings';
import { expect, test } from 'vitest';
import { runnerConfig } from './config.ts';

test('a runner without an API key prints how to make one', () => {
  expect(() => loadConfig(runnerConfig, {})).toThrow(
    /MANDATE_RUNNER_API_KEY: is not set.*mandate keys issue --name runner --scopes publish report release/,
  );
});

test('never prints the API key', () => {
  const config = loadConfig(runnerConfig, { MANDATE_RUNNER_API_KEY: 'sk-mdt_1' });
  expect(config.RUNNER_API_KEY).toBe('sk-mdt_1');
  expect(JSON.stringify(config)).not.toContain('sk-mdt_1');
});
