/** `mandate mcp --listen`: the proxy for clients that speak streamable HTTP. Many agents may use it. */
import { Callers, startHttpProxy } from '@mandate/mcp';
import { Mandate } from '@mandate/sdk/plane';
import type { CommandContext } from '../command-context.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { findConnection } from '../profiles/find-connection.ts';
import { readProfiles } from '../profiles/profile-file.ts';
import { mostBytes, openMandate, type ProxyOptions, proxySettings, reporting } from './proxy-options.ts';
import { upstreamUrl } from './upstream-url.ts';

export async function proxyOverHttp(options: ProxyOptions, context: CommandContext): Promise<ExitCode> {
  const { globals, env, stdout, stderr, signal } = context;
  const { listen = '', upstream = '', principal, run, allowHost = [] } = options;
  const { host, port } = addressOf(listen);
  const server = upstreamUrl(upstream);
  const { url, key } = findConnection(globals, env, () => readProfiles(env));
  const isLocal = options.mandates !== undefined;
  const onError = reporting(context);
  const proxy = await startHttpProxy({
    ...{ host, port, upstream: server, knownHosts: allowHost },
    callers: new Callers(
      { agentId: options.agent ?? (env.MANDATE_AGENT_ID || undefined), principalId: principal, runId: run },
      // Without its own key, the proxy accepts only requests with a key.
      isLocal || key !== '' ? await openMandate(options, context) : null,
      isLocal ? null : (apiKey) => new Mandate({ planeUrl: url, apiKey, onError }),
    ),
    settings: proxySettings(options, context),
    mostBytes: mostBytes(options),
    repeats: options.retry === '1',
    warn: (text) => void stderr.write(`mandate mcp: ${text}\n`),
  });
  if (context.json) await writeJsonLine(stdout, { url: proxy.url });
  else await write(stdout, `The MCP proxy listens at ${proxy.url}\n`);
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await proxy.stop();
  return 0;
}

function addressOf(listen: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^(\[[0-9a-f:]+\]|[^:\s]+):(\d{1,5})$/i.exec(listen) ?? [];
  if (host !== '' && Number(port) <= 65_535)
    return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
  throw new WrongUse(
    `"${listen}" is no address to listen at`,
    'Give --listen host:port, such as 127.0.0.1:7430.',
  );
}
