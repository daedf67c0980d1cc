import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { CommandContext } from '../command-context.ts';
import { type ProxyOptions, proxySettings } from './proxy-options.ts';

const OPTIONS: ProxyOptions = { list: 'filter', hints: true, retry: '1' };

function pageOf(options: Partial<ProxyOptions>, globals: CommandContext['globals']): string | undefined {
  const context: CommandContext = {
    ...{ globals, env: {}, json: false, signal: new AbortController().signal },
    ...{ stdin: Readable.from([]), stdout: new PassThrough(), stderr: new PassThrough() },
  };
  return proxySettings({ ...OPTIONS, ...options }, context).approvalUrl?.('a/1');
}

test('the page of a question is at the URL of the plane', () => {
  const key = 'sk-1';
  expect(pageOf({}, { key, url: 'https://plane.example.com' })).toBe(
    'https://plane.example.com/approvals/a%2F1',
  );
  expect(pageOf({}, { key, url: 'https://u:p@plane.example.com:8443/base/' })).toBe(
    'https://plane.example.com:8443/base/approvals/a%2F1',
  );
});

test('--approval-url names another page', () => {
  expect(pageOf({ approvalUrl: 'https://c/{id}' }, { key: 'sk-1', url: 'https://plane' })).toBe(
    'https://c/a%2F1',
  );
});

test('without a plane, a question has no page', () => {
  expect(pageOf({ mandates: 'mandates.yaml' }, {})).toBeUndefined();
});
