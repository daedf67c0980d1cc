/**
 * `mandate mcp` without --listen: the proxy for a client over stdio. The server is a process of the proxy, or is reached
 * over HTTP (`--upstream`).
 */
import { callerOf, RemoteServer, runStdioProxy, ServerProcess, Session } from '@mandate/mcp';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure, type ExitCode, WrongUse } from '../exit-codes.ts';
import { agentOf, mostBytes, openMandate, type ProxyOptions, proxySettings } from './proxy-options.ts';
import { upstreamHeaders } from './upstream-headers.ts';
import { upstreamUrl } from './upstream-url.ts';

/** How long the proxy waits at its end for the last outcomes to be reported. */
const FLUSH_MS = 500;

type Server = Parameters<typeof runStdioProxy>[0]['server'];

export async function proxyOverStdio(
  command: readonly string[],
  options: ProxyOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { stdin, stdout, signal } = context;
  const open = serverOf(command, options, context);
  const agentId = agentOf(options, context);
  const mandate = await openMandate(options, context);
  const caller = callerOf(mandate, { agentId, principalId: options.principal, runId: options.run });
  const ended = await runStdioProxy({
    ...{ input: stdin, output: stdout, server: open(), caller, signal },
    session: new Session(proxySettings(options, context)),
    mostLineBytes: mostBytes(options),
    warn: warning(context),
  });
  await mandate.close({ timeoutMs: FLUSH_MS });
  if (ended.fault !== null) throw new CommandFailure(1, ended.fault);
  return ended.code === null || ended.code === 0 ? 0 : 1;
}

/** Checks the arguments that name the server. The server is started only after everything else is known. */
function serverOf(
  [program, ...args]: readonly string[],
  options: ProxyOptions,
  context: CommandContext,
): () => Server {
  const { env } = context;
  const { upstreamEnv, header = [], headerEnv = [] } = options;
  const named = upstreamEnv === undefined ? options.upstream : env[upstreamEnv];
  if (upstreamEnv !== undefined && named === undefined)
    throw new WrongUse(
      `the environment variable ${upstreamEnv} is not set`,
      'Set it to the address of the MCP server.',
    );
  if (named !== undefined) {
    const url = upstreamUrl(named);
    const headers = upstreamHeaders(header, headerEnv, env);
    return () => new RemoteServer({ url, headers, mostBytes: mostBytes(options), warn: warning(context) });
  }
  if (program === undefined)
    throw new WrongUse(
      'no server is named',
      'Write its command after --: mandate mcp --agent coder -- npx … Or give its address with --upstream.',
    );
  return () => new ServerProcess(program, args, withoutSecrets(env));
}

function warning({ stderr }: CommandContext): (text: string) => void {
  return (text) => void stderr.write(`mandate mcp: ${text}\n`);
}

/** The server must not get the key of the plane. */
function withoutSecrets(env: CommandContext['env']): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('MANDATE_')));
}
