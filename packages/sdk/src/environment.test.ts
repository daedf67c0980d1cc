import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test, vi } from 'vitest';
import { optionsFromEnvironment } from './environment.ts';

test('the environment states options, and an empty variable states nothing', () => {
  expect(optionsFromEnvironment({ HOME: '/root' })).toEqual({});
  expect(
    optionsFromEnvironment({ MANDATE_AGENT_ID: ' bot ', MANDATE_FILE: 'm.yaml', MANDATE_MODE: '' }),
  ).toEqual({ agentId: 'bot', mandate: 'm.yaml' });
});

test('variables of another mode are left out', () => {
  const env = {
    MANDATE_URL: 'http://p',
    MANDATE_API_KEY: 'k',
    MANDATE_REDIS_URL: 'redis://r',
    MANDATE_FILE: 'm.yaml',
  };
  expect(optionsFromEnvironment(env)).toEqual({ mandate: 'm.yaml' });
  expect(optionsFromEnvironment({ ...env, MANDATE_MODE: 'plane' })).toEqual({
    mode: 'plane',
    planeUrl: 'http://p',
    apiKey: 'k',
  });
});

test('an unknown variable of the SDK is an error', () => {
  expect(() => optionsFromEnvironment({ MANDATE_SDK_MOD: 'plane' })).toThrow('MANDATE_SDK_MOD');
});

test('the default instance reads the environment at its first use, and configure() takes precedence', async () => {
  const path = join(temporaryFolder(), 'mandates.yaml');
  writeFileSync(path, 'version: 1\nid: all\nagents: ["*"]\nallowedTools: [read]\n');
  vi.resetModules();
  const { mandate } = await import('./index.ts');
  vi.stubEnv('MANDATE_FILE', path);
  vi.stubEnv('MANDATE_AGENT_ID', 'bot');
  try {
    mandate.configure({ agentId: 'other' });
    const tools = mandate.createExecutor();
    expect([tools.agentId, await tools.run('read', {}, () => 1)]).toEqual(['other', 1]);
    await expect(tools.run('write', {}, () => 1)).rejects.toMatchObject({ code: 'TOOL_NOT_ALLOWED' });
  } finally {
    vi.unstubAllEnvs();
  }
});

test('a mode that does not exist is an error', async () => {
  vi.resetModules();
  const { mandate } = await import('./index.ts');
  vi.stubEnv('MANDATE_MODE', 'cloud');
  try {
    expect(() => mandate.createExecutor({ agentId: 'bot' })).toThrow('no mode "cloud"');
  } finally {
    vi.unstubAllEnvs();
  }
});
