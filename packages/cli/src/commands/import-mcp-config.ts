import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { WrongUse } from '../exit-codes.ts';
import { someText } from '../input/option-values.ts';
import type { ImportOptions } from '../mcp/client-config/import-client-config.ts';

export function importMcpConfigCommand(mcp: Command, run: RunCommand): void {
  mcp
    .command('import')
    .summary('put the servers of a client behind the proxy')
    .usage('<file> --agent <id>')
    .description(
      'Puts each MCP server in the configuration of a client behind the proxy. Shows the change and asks first. Knows the files of ' +
        'Claude Desktop, Claude Code, Cursor, VS Code and Codex. Everything else in the file stays as it is.',
    )
    .argument('<file>', "the client's configuration, such as .mcp.json")
    .option('--agent <id>', 'the agent that calls', someText)
    .option('--mandates <file>', 'decide in the process of the proxy, by this mandate file', someText)
    .option('--no-prefix-names', 'without the name of the server before the names of its tools in policies')
    .option('--command <words>', 'how the client starts this program, such as "npx -y mandate"', someText)
    .option('--undo', 'take the proxy away again, and leave later edits as they are')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      `
The file gets no API key: the proxy finds the key of \`mandate login\`. The proxy
calls a server with a URL over HTTP. A server is left as it is if it needs a
login of the client, or speaks only the older transport (SSE). A copy of the
file as it was is kept beside it, with .before-mandate after its name.

Exit code 3 if a server still does not go through the proxy.

Examples:
  mandate mcp import .mcp.json --agent coder
  mandate mcp import ~/.codex/config.toml --agent coder --yes
  mandate mcp import .mcp.json --undo`,
    )
    .action((file: string, _options: ImportOptions, command: Command) =>
      run(async (context) => {
        refuseOptionsOfProxy(command);
        const { importClientConfig } = await import('../mcp/client-config/import-client-config.ts');
        return importClientConfig(file, command.optsWithGlobals(), context);
      }),
    );
}

/** `mandate mcp` has more options than `import`, and the parser accepts them before the word `import`. */
function refuseOptionsOfProxy(command: Command): void {
  const { parent } = command;
  const own = new Set(command.options.map(({ long }) => long));
  const other = parent?.options.find(
    (option) => parent.getOptionValueSource(option.attributeName()) === 'cli' && !own.has(option.long),
  );
  if (other !== undefined)
    throw new WrongUse(
      `${other.long} has no effect on an import`,
      'Leave it out, and add it to the file by hand.',
    );
  const words = rootOf(command).rawArgs;
  const end = words.indexOf('--');
  if (end !== -1 && end < words.indexOf('import'))
    throw new WrongUse('a server with the name `import` cannot be started', 'Give the path of the program.');
}

function rootOf(command: Command): Command & { rawArgs: readonly string[] } {
  return (command.parent === null ? command : rootOf(command.parent)) as Command & {
    rawArgs: readonly string[];
  };
}
