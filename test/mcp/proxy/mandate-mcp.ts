/** The proxy as users start it: `mandate mcp`, which decides in its own process by a mandate file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@mandate/testing';
import type { Command } from '../wire/stdio-process.ts';

const MANDATE = fileURLToPath(import.meta.resolve('../../../packages/cli/src/main.ts'));
const AGENT = 'coder';

export type ProxyOptions = {
  /** The fields of the mandate, as YAML. Default: everything is allowed. */
  mandate?: string;
  /** Further options of `mandate mcp`. */
  options?: readonly string[];
};

function commandOf({ mandate = '', options = [] }: ProxyOptions): string[] {
  const file = join(temporaryFolder(), 'mandates.yaml');
  writeFileSync(file, `version: 1\nid: test\nagents: [${AGENT}]\n${mandate}\n`);
  return [MANDATE, 'mcp', '--agent', AGENT, '--mandates', file, ...options];
}

/** Returns the command that starts a server behind the proxy. */
export function throughMandate(server: Command, options: ProxyOptions = {}): Command {
  return [process.execPath, ...commandOf(options), '--', ...server];
}

/** Returns the command that starts the proxy for a client over stdio and a server over HTTP. */
export function throughMandateTo(upstream: string, options: ProxyOptions = {}): Command {
  return [process.execPath, ...commandOf(options), '--upstream', upstream];
}

export type HttpProxy = AsyncDisposable & { url: string; pid: number };

/** Starts the proxy in front of a server over HTTP. */
export async function startMandateMcp(upstream: string, options: ProxyOptions = {}): Promise<HttpProxy> {
  const args = [...commandOf(options), '--listen', '127.0.0.1:0', '--upstream', upstream, '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const failed = ended.then(([code]) => Promise.reject(new Error(`mandate mcp ended with ${code}`)));
  failed.catch(() => {});
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const [text] = await Promise.race([line, failed]);
  const { url }: { url: string } = JSON.parse(text);
  return {
    url,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
