/** The command-line client of the MCP inspector. It needs a process for each request. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@mandate/testing';
import type { Command } from '../wire/stdio-process.ts';

const PACKAGE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/package.json'));
const INSPECTOR = join(PACKAGE, '../clients/launcher/build/index.js');
/** Each start loads the same modules. With a compile cache this takes half the time. */
const COMPILED = fileURLToPath(import.meta.resolve('../../../node_modules/.cache/compiled'));

/** How the inspector ended: one line of JSON, on stdout or, for an error, on stderr. */
export type Inspected = { exitCode: number; printed: string };

/** @param target the address of a server, or its command */
export async function inspect(
  target: string | Command,
  request: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Inspected> {
  const home = temporaryFolder();
  const server =
    typeof target === 'string'
      ? ['--server-url', target, '--transport', 'http']
      : ['--config', configOf(target, env, home), '--server', 'server'];
  const child = spawn(
    process.execPath,
    [INSPECTOR, '--cli', ...server, ...request, '--format', 'json', '-q'],
    {
      env: { PATH: process.env.PATH, HOME: home, NODE_COMPILE_CACHE: COMPILED },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [out, errors, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { exitCode, printed: `${out}${errors}`.trim() };
}

/** A command can have options of its own, so it stands in a file, as in the configuration of any client. */
function configOf(
  [command, ...args]: Command,
  env: Readonly<Record<string, string>>,
  folder: string,
): string {
  const path = join(folder, 'mcp.json');
  writeFileSync(path, JSON.stringify({ mcpServers: { server: { command, args, env } } }));
  return path;
}
