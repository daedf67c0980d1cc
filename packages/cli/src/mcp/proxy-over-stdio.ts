/** `mandate mcp -- <command>`: the proxy between a client over stdio and a server in a process of its own. */
import { callerOf, runStdioProxy, ServerProcess, Session } from '@mandate/mcp';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure, type ExitCode, WrongUse } from '../exit-codes.ts';
import { agentOf, mostBytes, openMandate, type ProxyOptions, proxySettings } from './proxy-options.ts';

/** How long the proxy waits at its end until the last outcomes are reported. */
const FLUSH_MS = 500;

export async function proxyOverStdio(
  [program, ...args]: readonly string[],
  options: ProxyOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { stdin, stdout, stderr, env, signal } = context;
  if (program === undefined)
    throw new WrongUse(
      'no server is named',
      'Write its command after --: mandate mcp --agent coder -- npx …',
    );
  const agentId = agentOf(options, context);
  const mandate = await openMandate(options, context);
  const caller = callerOf(mandate, { agentId, principalId: options.principal, runId: options.run });
  const server = new ServerProcess(program, args, withoutSecrets(env));
  const ended = await runStdioProxy({
    ...{ input: stdin, output: stdout, server, caller, signal },
    session: new Session(proxySettings(options)),
    mostLineBytes: mostBytes(options),
    warn: (text) => void stderr.write(`mandate mcp: ${text}\n`),
  });
  await mandate.close({ timeoutMs: FLUSH_MS });
  if (ended.fault !== null) throw new CommandFailure(1, ended.fault);
  return ended.code === null || ended.code === 0 ? 0 : 1;
}

/** The server must not get the key of the plane. */
function withoutSecrets(env: CommandContext['env']): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('MANDATE_')));
}
