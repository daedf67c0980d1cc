import { describe, expect, test } from 'vitest';
import type { StepTool } from '../agent-step/step.ts';
import { loadRunnerDocument } from '../runner-document.ts';
import { bindTool } from './bind-tool.ts';

const tool = (uri: string, id: string | null = 'refund'): StepTool => ({
  kind: 'server',
  name: 'refund',
  id,
  uri,
  risk: null,
  hash: null,
});

const loaded = loadRunnerDocument(
  Buffer.from(
    JSON.stringify({
      version: 1,
      servers: { crm: { command: 'node' }, 'https://pay.example/mcp': { url: 'https://10.0.0.1/mcp' } },
      allowedHosts: ['*.corp.example', 'tools.example', '127.0.0.1:8080'],
    }),
  ),
  {},
);
if (!loaded.ok) throw new Error('the document is faulty');
const document = loaded.document;

describe('a tool', () => {
  test.each([
    ['mcp://crm', 'crm', null],
    ['MCP://crm/', 'crm', null],
    ['mcp://crm#refund_v2', 'crm', 'refund_v2'],
    ['mcp://crm#re%20fund', 'crm', 're fund'],
    ['https://pay.example/mcp', 'https://pay.example/mcp', null],
    ['HTTPS://pay.example/mcp/#refund', 'https://pay.example/mcp', 'refund'],
    ['https://tools.example/mcp', 'https://tools.example/mcp', null],
    ['https://a.corp.example/x', 'https://a.corp.example/x', null],
    ['http://127.0.0.1:8080/mcp', 'http://127.0.0.1:8080/mcp', null],
  ])('at %s belongs to the server %s', (uri, key, name) => {
    expect(bindTool(tool(uri), document)).toMatchObject({ key, tool: name, id: 'refund' });
  });

  test.each([
    'mcp://other',
    'mcp://crm/path',
    'https://corp.example/x',
    'https://evil-corp.example/x',
    'https://a.corp.example.evil.example/x',
    'http://127.0.0.1:8081/mcp',
    'https://user@tools.example/mcp',
    'file:///etc/passwd',
    'mcp://__proto__',
    'mcp://constructor',
  ])('at %s has no server', (uri) => {
    expect(() => bindTool(tool(uri), document)).toThrow(/binds no server to it/);
  });

  test('keeps the address of its binding, not the address in the manifest', () => {
    expect(bindTool(tool('https://pay.example/mcp'), document)?.server).toMatchObject({
      url: 'https://10.0.0.1/mcp',
    });
  });
});
