import { expect, test } from 'vitest';
import { classifyPath } from '../adapters/classify-path.ts';
import { ANTHROPIC_PATHS, pathOf } from './requests.ts';

test.each([
  ['POST', 'https://api.anthropic.com/v1/messages?beta=true', 'decided'],
  ['POST', 'https://proxy.example/anthropic/v1/messages/', 'decided'],
  ['GET', 'https://api.anthropic.com/v1/messages/batches', 'free'],
  ['POST', 'https://api.anthropic.com/v1/messages/count_tokens', 'free'],
  ['POST', 'https://api.anthropic.com/v1/messages/batches/batch_1/cancel', 'free'],
  ['POST', 'https://api.anthropic.com/v1/vaults/vlt_1/credentials/cred_1/archive', 'free'],
  ['POST', 'https://api.anthropic.com/v1/messages/batches', 'refused'],
  ['POST', 'https://api.anthropic.com/v1/sessions', 'refused'],
  ['POST', 'https://api.anthropic.com/v1/sessions/sesn_1/events', 'refused'],
  ['POST', 'https://api.anthropic.com/v1/deployments/depl_1/run', 'refused'],
  ['POST', 'https://api.anthropic.com/v1/complete', 'refused'],
  ['PUT', 'https://api.anthropic.com/v1/messages', 'refused'],
  ['POST', 'https://bedrock.example/model/claude/invoke', 'refused'],
])('%s %s is %s', (method, url, expected) => {
  expect(classifyPath(ANTHROPIC_PATHS, { method, path: pathOf(url) }).class).toBe(expected);
});
