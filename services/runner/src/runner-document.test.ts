import { describe, expect, test } from 'vitest';
import { loadRunnerDocument } from './runner-document.ts';

const load = (text: string, env = {}) => loadRunnerDocument(Buffer.from(text), env);

describe('the document of the runner', () => {
  test('has servers with their defaults, and values of the environment', () => {
    const text = `version: 1
servers:
  bank: { command: node, args: [bank.js], env: { KEY: "k-\${env:KEY}" } }
  "https://crm.example/mcp": { url: https://crm.example/mcp, headers: { authorization: "Bearer \${env:TOKEN}" } }
inline:
  balance: { server: bank, tool: look }
allowedHosts: ["*.corp.example"]
providers:
  openai: { protocol: openai, apiKey: "\${env:OPENAI}" }
`;
    expect(load(text, { KEY: '1', TOKEN: 't', OPENAI: 'sk-2' })).toEqual({
      ok: true,
      document: {
        version: 1,
        providers: {
          openai: { protocol: 'openai', apiKey: 'sk-2', timeoutMs: 300_000 },
        },
        logic: { enabled: false },
        servers: {
          bank: {
            command: 'node',
            args: ['bank.js'],
            env: { KEY: 'k-1' },
            showErrors: false,
            timeoutMs: 60_000,
            protocol: 'auto',
          },
          'https://crm.example/mcp': {
            url: 'https://crm.example/mcp',
            headers: { authorization: 'Bearer t' },
            timeoutMs: 60_000,
            protocol: 'auto',
          },
        },
        inline: { balance: { server: 'bank', tool: 'look' } },
        allowedHosts: ['*.corp.example'],
      },
    });
  });

  test.each([
    ['servers: {}\n', 1, 'version'],
    ['version: 1\nservers:\n  a: { url: "ftp://a" }\n', 3, 'servers.a.url'],
    ['version: 1\nservers:\n  a: { command: x, url: "https://a" }\n', 3, 'servers.a.url'],
    ['version: 1\ninline:\n  add: { server: b, tool: c }\n', 3, 'inline.add.server'],
    [`version: 1\nservers:\n  a: { command: x, env: { K: "\${env:MISSING}" } }\n`, 3, 'servers.a.env.K'],
    ['version: 1\nsurvers: {}\n', 2, 'survers'],
    [
      `version: 1\nproviders:\n  a: { protocol: openai, apiKey: "\${env:MISSING}" }\n`,
      3,
      'providers.a.apiKey',
    ],
    ['version: 1\nproviders:\n  a: { protocol: gemini, apiKey: x }\n', 3, 'providers.a.protocol'],
  ])('has faults with their places: %j', (text, line, path) => {
    const loaded = load(text);
    expect(loaded).toMatchObject({ ok: false, faults: [{ line, path }] });
  });
});
