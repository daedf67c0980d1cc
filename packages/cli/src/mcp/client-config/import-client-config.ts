/** `mandate mcp import`: puts the servers in the configuration of an MCP client behind the proxy, or undoes it. */
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { plainId } from '@mandate/schemas';
import { replaceSpans } from '@mandate/schemas/json-spans';
import type { CommandContext } from '../../command-context.ts';
import { CommandFailure, type ExitCode, WrongUse } from '../../exit-codes.ts';
import { isSure } from '../../input/is-sure.ts';
import { counted } from '../../output/for-people.ts';
import { printable, printableLines } from '../../output/printable.ts';
import { write, writeJsonLine } from '../../output/write.ts';
import { findConnection } from '../../profiles/find-connection.ts';
import { readProfiles } from '../../profiles/profile-file.ts';
import type { ClientConfig } from './client-config.ts';
import { type ImportPlan, type ProxyAsked, planImport, planUndo } from './plan-import.ts';
import { defaultProxyCommand, wordsOfCommand } from './proxy-command.ts';
import { readClientConfig } from './read-client-config.ts';
import {
  backupOf,
  readClientFile,
  removeBackup,
  replaceClientFile,
  writeBackup,
} from './replace-client-file.ts';
import { prefixesOf } from './server-prefixes.ts';
import { diffText, serversText } from './show-import.ts';
import { unifiedDiff } from './unified-diff.ts';

export type ImportOptions = {
  agent?: string;
  mandates?: string;
  prefixNames: boolean;
  command?: string;
  undo?: true;
  yes?: true;
};

export async function importClientConfig(
  path: string,
  options: ImportOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { stdout, stderr, json } = context;
  const { undo = false, yes = false } = options;
  const asked = undo ? null : proxyAsked(options, context);
  const needsLogin = asked !== null && options.mandates === undefined && !knowsKey(context);
  const file = await readClientFile(path);
  const config = await readClientConfig(file.text, path);
  const plan = asked === null ? planUndo(config) : planImport(config, asked);
  // A program gets one JSON document on stdout, and a person sees the changes before the question.
  const shown = json ? stderr : stdout;
  await write(shown, diffText(path, unifiedDiff(config.text, plan.edits, config.secrets), shown));
  await write(shown, serversText(plan.servers));
  const changes = plan.edits.length > 0;
  if (changes) {
    if (!yes && !(await isSure(context, `Change ${basename(path)}?`)))
      throw new CommandFailure(1, 'nothing was changed');
    if (asked !== null && (!existsSync(backupOf(file)) || isUntouched(config))) await writeBackup(file);
    await replaceClientFile(file, replaceSpans(config.text, plan.edits));
  }
  const backup = asked === null && (await removeBackup(file)) ? null : backupOf(file);
  const kept = backup !== null && existsSync(backup) ? backup : null;
  if (json)
    await writeJsonLine(stdout, { file: file.path, changed: changes, backup: kept, servers: plan.servers });
  else await write(stdout, doneText(path, plan, kept));
  if (asked !== null)
    await write(stderr, listenersText(config, asked) + (needsLogin ? HOW_KEYS_ARE_FOUND : ''));
  // In an undo, ungoverned servers are not a failure.
  return asked !== null && plan.servers.some(({ change }) => change === 'ungoverned') ? 3 : 0;
}

/** True if no server goes through the proxy yet. */
function isUntouched(config: ClientConfig): boolean {
  return planUndo(config).edits.length === 0;
}

function proxyAsked(options: ImportOptions, { globals, env }: CommandContext): ProxyAsked {
  const { agent, mandates, prefixNames, command } = options;
  if (agent === undefined)
    throw new WrongUse('it is not known which agent calls', 'Name the agent with --agent, or give --undo.');
  // The proxy reads its options up to `--`, so the id must not look like an option.
  if (!plainId.safeParse(agent).success || agent.startsWith('-'))
    throw new WrongUse(`"${agent}" is no id of an agent`, 'Name the agent with --agent.');
  const own = command === undefined ? defaultProxyCommand(env) : wordsOfCommand(command);
  return {
    command: [...own, 'mcp'],
    agent,
    options: [
      ...(mandates === undefined ? [] : ['--mandates', mandateFile(mandates)]),
      ...(globals.profile === undefined ? [] : ['--profile', globals.profile]),
      ...(globals.url === undefined ? [] : ['--url', withoutPassword(globals.url)]),
    ],
    prefixesNames: prefixNames,
  };
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url) || new URL(url).password === '') return url;
  throw new WrongUse('the URL has a password, which the file must not get', 'Give the URL without it.');
}

/** Clients start their servers in different folders, so the path must be absolute. */
function mandateFile(path: string): string {
  // The client replaces a variable such as ${workspaceFolder}.
  if (path.includes('${')) return path;
  if (existsSync(path)) return resolve(path);
  throw new WrongUse(`there is no file ${path}`, 'Name a mandate file.');
}

function doneText(path: string, { servers }: ImportPlan, backup: string | null): string {
  const count = servers.filter(({ change }) => change === 'rewritten').length;
  if (count === 0) return 'nothing to change\n';
  const kept = backup === null ? '' : `, and kept the file as it was in ${backup}`;
  return printableLines(`changed ${counted(count, 'server')} in ${path}${kept}\n`);
}

/** A proxy with its own port for each server that the client must call over HTTP. */
function listenersText({ servers }: ClientConfig, { agent, options, prefixesNames }: ProxyAsked): string {
  const remote = [
    ...new Set(servers.flatMap((entry) => (entry.kind === 'direct' && entry.listens ? [entry.name] : []))),
  ];
  if (remote.length === 0) return '';
  const prefixes = prefixesOf(servers);
  const commands = remote.map((name, at) => {
    const prefix = prefixesNames ? ['--prefix', prefixes.get(name)] : [];
    const words = ['mandate', 'mcp', '--agent', agent, ...options, ...prefix];
    return printable(`${words.join(' ')} --listen 127.0.0.1:${FIRST_PORT + at} --upstream URL`);
  });
  return `${HOW_TO_LISTEN}${commands.map((command) => `  ${command}\n`).join('')}`;
}

const FIRST_PORT = 7430;
const HOW_TO_LISTEN = `Some servers need a proxy that listens, because the client calls them over HTTP. Start it with the URL of the server.
Then replace the host in the file with the address of the proxy, and leave the path as it is.
`;

const HOW_KEYS_ARE_FOUND = `The file has no API key, and needs none. Run \`mandate login\` before you start the client: the proxy finds the key there.
`;

/** Most clients do not pass the variables of the shell to a server, so only a login helps. */
function knowsKey({ globals, env }: CommandContext): boolean {
  const passedOn = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('MANDATE_')));
  return findConnection(globals, passedOn, () => readProfiles(env)).key !== '';
}
