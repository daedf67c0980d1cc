/** A client starts a server from a configuration that `mandate mcp import` changed, as the client would do it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@mandate/testing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';
import { runMandate } from '../../e2e/cli/run-mandate.ts';

const SERVER = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));

const MANDATES = `version: 1
id: coder
agents: [coder]
allowedTools: [files.read_text_file]
`;

/** A project folder with a server that is named by relative paths. */
function project(): { folder: string; config: string; mandates: string } {
  const folder = temporaryFolder();
  const [config, mandates] = [join(folder, '.mcp.json'), join(folder, 'mandates.yaml')];
  const files = { command: process.execPath, args: [relative(folder, SERVER), '.'], env: { ANY: 'x' } };
  writeFileSync(config, JSON.stringify({ mcpServers: { files } }, null, 2));
  writeFileSync(mandates, MANDATES);
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  return { folder, config, mandates };
}

/** Starts the server `files` of a configuration. The SDK passes only a few variables on to the server. */
async function connect(folder: string, config: string): Promise<Client> {
  const { command, args, env } = JSON.parse(readFileSync(config, 'utf8')).mcpServers.files;
  const client = new Client({ name: 'mandate-test-client', version: '1.0.0' });
  const own = { PATH: process.env.PATH ?? '', HOME: folder, ...env };
  await client.connect(new StdioClientTransport({ command, args, env: own, cwd: folder, stderr: 'ignore' }));
  return client;
}

test('an imported server is governed, and after the undo it is not', async () => {
  const { folder, config, mandates } = project();
  const read = { name: 'read_text_file', arguments: { path: join(folder, 'a.txt') } };
  const written = { name: 'write_file', arguments: { path: join(folder, 'b.txt'), content: 'two\n' } };

  const ran = await runMandate([
    'mcp',
    'import',
    config,
    '--agent',
    'coder',
    '--mandates',
    mandates,
    '--yes',
  ]);
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  const governed = await connect(folder, config);
  expect((await governed.listTools()).tools.map(({ name }) => name)).toEqual(['read_text_file']);
  expect(await governed.callTool(read)).toMatchObject({ content: [{ text: 'one\n' }] });
  expect(await governed.callTool(written)).toMatchObject({
    isError: true,
    _meta: { 'mandate/refusal': { code: 'TOOL_NOT_ALLOWED' } },
  });
  await governed.close();

  expect((await runMandate(['mcp', 'import', config, '--undo', '--yes'])).exitCode).toBe(0);
  const free = await connect(folder, config);
  expect(await free.callTool(written)).not.toHaveProperty('isError', true);
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('two\n');
  await free.close();
});
