import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { WrongUse } from '../exit-codes.ts';
import { durationMs, someText, wholeNumber } from '../input/option-values.ts';
import { pinsCommand } from '../mcp/pins-command.ts';
import type { ProxyOptions } from '../mcp/proxy-options.ts';
import { importMcpConfigCommand } from './import-mcp-config.ts';

/** The names of streamable HTTP in the configurations of clients. */
const STREAMABLE = /^(?:https?|streamable[-_]?http)$/i;
const MOST_HOLD_MS = 24 * 3_600_000;

export function mcpCommand(command: Command, run: RunCommand): void {
  importMcpConfigCommand(command, run);
  command
    // An `--agent` after `import` is an option of the import.
    .enablePositionalOptions()
    .description(
      'Runs an MCP server behind a proxy that decides each call of a tool. The client and the server stay as they are: ' +
        'docs/mcp.md. Everything after -- is the command of the server.',
    )
    .usage('[options] [-- <command...>]')
    .argument('[command...]', 'the command of an MCP server that speaks over stdio')
    .option('--agent <id>', 'the agent that calls (default MANDATE_AGENT_ID)', someText)
    .option('--principal <id>', 'the user for whom the agent acts', someText)
    .option('--run <id>', 'the run that the calls belong to; rules read it as context.runId', someText)
    .option('--mandates <file>', 'decide in this process, by this mandate file, without a plane', someText)
    .option('--prefix <text>', 'put this before each name of a tool in policies, such as files.', someText)
    .addOption(
      new Option('--list <mode>', 'what lists of tools, resources and prompts show')
        .choices(['filter', 'all'])
        .default('filter'),
    )
    .option(
      '--defer <mode>',
      'a call that a person must approve: `error` tells the client at once, `hold:30s` waits, `elicit` shows the user an address (default hold:30s)',
      deferMode,
    )
    .option(
      '--approval-url <url>',
      'the page of a question, for `elicit`; {id} is replaced by its id (default: /approvals/{id} at the URL of the plane)',
      someText,
    )
    .option(
      '--no-hints',
      'ignore what the server says about its tools, for example that they are destructive',
    )
    .option(
      '--pin-tools <file>',
      'block a tool after the server changed its definition, until a person accepts it (`mandate mcp pins`)',
      someText,
    )
    .option(
      '--max-message <mib>',
      'the longest message of the client or the server (default 10)',
      wholeNumber({ min: 1, max: 1_024, unit: 'MiB' }),
    )
    .option('--listen <address>', 'serve over HTTP at this address, such as 127.0.0.1:7430', someText)
    .option('--upstream <url>', 'the MCP server, if it speaks streamable HTTP', someText)
    .option(
      '--upstream-env <variable>',
      'the environment variable that has the URL of the MCP server',
      someText,
    )
    .option(
      '--transport <kind>',
      'what the server at --upstream speaks: `http` is streamable HTTP, and nothing else is spoken',
      transport,
    )
    .option(
      '--header <header>',
      `a header for --upstream, such as 'Authorization: Bearer \${TOKEN}'; \${VAR} and \${VAR:-default} are replaced; may be repeated`,
      texts,
    )
    .option(
      '--header-env <name=variable>',
      'a header for --upstream whose value is the value of this environment variable; may be repeated',
      texts,
    )
    .option(
      '--allow-host <name>',
      'with --listen: a further name of this host, for requests and for web pages; may be repeated',
      texts,
    )
    .addOption(
      new Option(
        '--retry <times>',
        'with --listen: how often to send a call again after the server gave no answer, if the server or a policy says that the tool may be repeated',
      )
        .choices(['0', '1'])
        .default('1'),
    )
    .addHelpText(
      'after',
      `
A plane decides: MANDATE_URL and MANDATE_API_KEY, or \`mandate login\`. If it is
away, calls are blocked. The server does not get the variables that begin with
MANDATE_.

Examples:
  mandate mcp --agent coder -- npx -y @modelcontextprotocol/server-filesystem .
  mandate mcp --agent coder --mandates mandates.yaml -- python server.py
  mandate mcp --agent coder --defer hold:2m --prefix files. -- node server.js
  mandate mcp import .mcp.json --agent coder
  mandate mcp --agent coder --upstream https://example.com/mcp \\
    --header 'Authorization: Bearer \${TOKEN}'
  mandate mcp --agent coder --listen 127.0.0.1:7430 \\
    --upstream https://example.com/mcp`,
    )
    .action((server: string[], options: ProxyOptions) =>
      run(async (context) => {
        refuseContradictions(server, options);
        if (options.listen === undefined) {
          const { proxyOverStdio } = await import('../mcp/proxy-over-stdio.ts');
          return proxyOverStdio(server, options, context);
        }
        const { proxyOverHttp } = await import('../mcp/proxy-over-http.ts');
        return proxyOverHttp(options, context);
      }),
    );
  pinsCommand(command, run);
}

function refuseContradictions(server: readonly string[], options: ProxyOptions): void {
  const { listen, upstream, upstreamEnv, transport, header, headerEnv } = options;
  const isRemote = upstream !== undefined || upstreamEnv !== undefined;
  const excluding = (one: string, other: string) =>
    new WrongUse(`${one} and ${other} exclude each other`, 'Leave one of them out.');
  if (server.length > 0 && listen !== undefined) throw excluding('a command', '--listen');
  if (server.length > 0 && isRemote) throw excluding('a command', '--upstream');
  if (upstream !== undefined && upstreamEnv !== undefined) throw excluding('--upstream', '--upstream-env');
  const own = { '--upstream-env': upstreamEnv, '--header': header, '--header-env': headerEnv };
  const useless = Object.entries(own).find(([, value]) => value !== undefined)?.[0];
  // Over HTTP each client sends its own headers.
  if (listen !== undefined && useless !== undefined) throw excluding(useless, '--listen');
  if (!isRemote && (useless !== undefined || transport !== undefined))
    throw new WrongUse(`${useless ?? '--transport'} has no effect without --upstream`, 'Leave it out.');
}

function transport(text: string): string {
  if (STREAMABLE.test(text)) return text;
  throw new InvalidArgumentError('Give http, which is streamable HTTP.');
}

function texts(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, someText(text)];
}

function deferMode(text: string): { mode: 'error' | 'hold' | 'elicit'; holdMs?: number } {
  const [mode, duration] = text.split(':', 2);
  if (mode !== 'error' && mode !== 'hold' && mode !== 'elicit')
    throw new InvalidArgumentError('Give error, hold:<time> or elicit.');
  if (duration === undefined) return { mode };
  if (mode === 'error') throw new InvalidArgumentError('`error` waits for nobody, so it has no time.');
  return { mode, holdMs: durationMs({ min: 1, max: MOST_HOLD_MS })(duration) };
}
