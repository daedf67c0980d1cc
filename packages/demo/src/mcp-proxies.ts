/** The MCP proxies of the demo: `mandate mcp`, as users start it. Every agent shares the proxy in front of a server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { SERVERS, type ServerName } from './tool-servers.ts';

/** The address of the proxy in front of each server. */
export type ProxyUrls = Readonly<Record<ServerName, string>>;

export type McpProxies = {
  urls: ProxyUrls;
  /** Resolves when the proxies have reported the outcomes of all calls, and have ended. */
  stop(): Promise<void>;
};

/** The options of a proxy, without its address and the address of the plane. */
export function optionsOf(server: string): readonly string[] {
  return ['--prefix', `${server}.`, '--defer', 'error'];
}

/** Starts a proxy in front of each server. The proxies have no key: each agent sends its own. */
export async function startMcpProxies(
  servers: Readonly<Record<ServerName, string>>,
  planeUrl: string,
): Promise<McpProxies> {
  await using cleaning = new AsyncDisposableStack();
  const urlOf = async (server: ServerName) =>
    cleaning.use(await startProxy(server, servers[server], planeUrl)).url;
  const names = Object.keys(SERVERS) as ServerName[];
  const urls = await Promise.all(names.map(async (name) => [name, await urlOf(name)] as const));
  const started = cleaning.move();
  return { urls: Object.fromEntries(urls) as ProxyUrls, stop: () => started.disposeAsync() };
}

async function startProxy(
  server: ServerName,
  upstream: string,
  planeUrl: string,
): Promise<AsyncDisposable & { url: string }> {
  const address = ['--listen', '127.0.0.1:0', '--upstream', upstream];
  const child = spawn(
    process.execPath,
    [process.argv[1] ?? '', 'mcp', ...address, ...optionsOf(server), '--json'],
    { env: { MANDATE_URL: planeUrl }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const failed = ended.then(([code]) => Promise.reject(new Error(`mandate mcp ended with ${code}`)));
  failed.catch(() => {});
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), failed]);
  const { url }: { url: string } = JSON.parse(line);
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
