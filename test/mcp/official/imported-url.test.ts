/** A client starts a server with a URL from a configuration that `mandate mcp import` changed, as the client would do it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';
import { runMandate } from '../../e2e/cli/run-mandate.ts';
import { recordHttp } from '../wire/http-recorder.ts';
import { serveEverything } from './everything-over-http.ts';

type Entry = { command: string; args: string[]; env?: Record<string, string>; env_vars?: string[] };

/** What the client itself has in its environment. */
const OWN = { PATH: process.env.PATH ?? '', TOKEN: 'of-token', OTHER: 'of-other' };

const JSON_CONFIG = (url: string) =>
  JSON.stringify(
    {
      mcpServers: {
        all: { type: 'http', url, headers: { Authorization: 'Bearer of-token', 'X-Other': 'of-other' } },
      },
    },
    null,
    2,
  );

const TOML_CONFIG = (url: string) => `[mcp_servers.all]
url = "${url}"
bearer_token_env_var = "TOKEN"
env_http_headers = { "X-Other" = "OTHER" }
`;

/** The import writes texts and lists as JSON does. */
function entryInToml(text: string): Entry {
  const field = (name: string) => JSON.parse(new RegExp(`^${name} = (.*)$`, 'm').exec(text)?.[1] ?? 'null');
  const [, url = ''] = /^env = \{ MCP_URL = "(.*)" \}$/m.exec(text) ?? [];
  return {
    ...{ command: field('command'), args: field('args'), env_vars: field('env_vars') },
    env: { MCP_URL: url },
  };
}

test.each([
  ['.mcp.json', JSON_CONFIG, (text: string): Entry => JSON.parse(text).mcpServers.all],
  ['config.toml', TOML_CONFIG, entryInToml],
])('a server with a URL in %s is governed, and gets its headers', async (name, configAt, entryIn) => {
  await using server = await serveEverything();
  await using recorder = await recordHttp(server.url);
  const folder = temporaryFolder();
  const [config, mandates] = [join(folder, name), join(folder, 'mandates.yaml')];
  const before = configAt(recorder.url);
  writeFileSync(config, before);
  writeFileSync(mandates, 'version: 1\nid: coder\nagents: [coder]\nallowedTools: [all.echo]\n');

  const words = ['mcp', 'import', config, '--agent', 'coder', '--mandates', mandates, '--yes'];
  expect(await runMandate(words)).toMatchObject({ exitCode: 0, stderr: '' });

  const { command, args, env, env_vars: passed = [] } = entryIn(readFileSync(config, 'utf8'));
  expect(args.join(' ')).not.toMatch(/of-token|of-other|127\.0\.0\.1/);
  const variables = Object.entries(OWN).filter(([variable]) => [...passed, 'PATH'].includes(variable));
  const client = new Client({ name: 'mandate-test-client', version: '1.0.0' });
  const own = { ...Object.fromEntries(variables), HOME: folder, ...env };
  await client.connect(new StdioClientTransport({ command, args, env: own, cwd: folder, stderr: 'ignore' }));
  expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['echo']);
  expect(await client.callTool({ name: 'echo', arguments: { message: 'hello' } })).toMatchObject({
    content: [{ text: 'Echo: hello' }],
  });
  expect(await client.callTool({ name: 'get-sum', arguments: { a: 1, b: 2 } })).toMatchObject({
    _meta: { 'mandate/refusal': { code: 'TOOL_NOT_ALLOWED' } },
  });
  await client.close();
  const sent = recorder.exchanges.map((exchange) => exchange.sent.headers);
  expect(sent.length).toBeGreaterThan(3);
  for (const headers of sent)
    expect(headers).toMatchObject({ authorization: 'Bearer of-token', 'x-other': 'of-other' });

  expect((await runMandate(['mcp', 'import', config, '--undo', '--yes'])).exitCode).toBe(0);
  expect(readFileSync(config, 'utf8')).toBe(before);
});
