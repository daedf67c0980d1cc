/**
 * The options that a command accepts and would ignore. They are refused before the command begins, because a person
 * would believe that they took effect. Checks that depend on the value of an option are in the commands.
 */
import type { Command } from 'commander';
import { WrongUse } from './exit-codes.ts';
import { PLANE_OPTIONS } from './global-options.ts';

/** If a row has neither `beside` nor `unless`, its options never have an effect on its commands. */
type WithoutEffect = {
  /** The commands with the names of their parents. If absent: all commands that have one of the options. */
  commands?: readonly string[];
  options: readonly string[];
  /** The options have no effect if one of these options is given. */
  beside?: readonly string[];
  /** The options have no effect unless one of these options is given. */
  unless?: readonly string[];
  why: string;
};

const ASK_NO_PLANE = [
  ...['up', 'demo', 'profiles', 'validate', 'test', 'eval', 'snapshot', 'audit prune', 'migrate'],
  ...['completion', 'export verify'],
];
const KEYS = ['keys issue', 'keys list', 'keys revoke'];
const FOLDER_KEYS = ['--data', '--scopes', '--auditor', '--agents', '--tenant', '--pin'];
/** If one of these options is given, the commands for keys ask the API of a plane. */
const PLANE = ['--url', '--control-url', '--profile'];
const ONE_ACTION = [
  ...['--agent', '--tool', '--prompt', '--action', '--args', '--id', '--cost', '--grant', '--attempt'],
  ...['--context', '--principal', '--role', '--turn'],
];
const SERVERS = ['--kafka', '--clickhouse'];
/** Returns all options that name a plane, except the given ones. */
const exceptFor = (...names: string[]) => PLANE_OPTIONS.filter((option) => !names.includes(option));

export const WITHOUT_EFFECT: readonly WithoutEffect[] = [
  { commands: ASK_NO_PLANE, options: PLANE_OPTIONS, why: 'the command asks no plane' },
  {
    commands: ['logout'],
    options: exceptFor('--profile'),
    why: 'the name after --profile says what to forget',
  },
  { commands: ['lint'], options: PLANE_OPTIONS, beside: ['--file'], why: 'files need no plane' },
  { commands: ['demo', 'completion'], options: ['--json'], why: 'the command prints only text' },
  { commands: KEYS, options: exceptFor(...PLANE), unless: PLANE, why: 'the keys of a data folder are meant' },
  { commands: KEYS, options: FOLDER_KEYS, beside: PLANE, why: 'it is only for the keys of a data folder' },
  { commands: ['keys list'], options: ['--cursor'], unless: PLANE, why: 'a data folder has no pages' },
  {
    commands: ['keys issue', 'keys revoke'],
    options: ['--dry-run'],
    unless: PLANE,
    why: 'only a plane has dry runs',
  },
  { commands: ['publish'], options: ONE_ACTION, beside: ['--file'], why: 'the file already has the actions' },
  {
    commands: ['mcp import'],
    options: exceptFor('--url', '--profile'),
    why: 'the proxy uses the login of the person who starts the client',
  },
  {
    commands: ['mcp import'],
    options: ['--agent', '--mandates', '--no-prefix-names', '--command', '--url', '--profile'],
    beside: ['--undo'],
    why: 'the proxy is taken away',
  },
  {
    commands: ['mcp import'],
    options: ['--url', '--profile'],
    beside: ['--mandates'],
    why: 'no plane decides',
  },
  {
    commands: ['publish'],
    options: ['--args', '--cost'],
    beside: ['--prompt', '--action'],
    why: 'only a call of --tool has it',
  },
  { commands: ['preview'], options: ['--args', '--cost'], unless: ['--tool'], why: 'only a call has it' },
  { commands: ['preview'], options: ['--category'], unless: ['--store'], why: 'only a store has categories' },
  { commands: ['tail'], options: ['--lines'], beside: ['--since'], why: '--since says where to begin' },
  {
    commands: ['reconcile', 'snapshot', 'audit prune'],
    options: ['--data'],
    beside: SERVERS,
    why: 'the command reads from the server',
  },
  { options: ['--allow-own-approval'], beside: ['--forbid-own-approval'], why: 'it is forbidden' },
  { options: ['--limits'], beside: ['--remove-limits'], why: 'the tenant limits are removed' },
  { options: ['--csv', '--columns'], beside: ['--json'], why: '--json has every column' },
  { options: ['--sparklines'], beside: ['--json', '--csv'], why: 'the output has all buckets' },
  { options: ['--sparklines', '--time-zone'], unless: ['--interval'], why: 'there are no buckets' },
  { options: ['--subtree'], beside: ['--tenant', '--all'], why: 'every agent is meant' },
];

/** Throws if an option was given that has no effect on the command. */
export function refuseWithoutEffect(command: Command): void {
  const path = pathOf(command);
  const given = givenTo(command);
  for (const { commands = [path], options, beside = [], unless = [], why } of WITHOUT_EFFECT) {
    const option = given.find((one) => options.includes(one));
    if (option === undefined || !commands.includes(path)) continue;
    const other = given.find((one) => beside.includes(one));
    if (beside.length > 0 && other === undefined) continue;
    if (given.some((one) => unless.includes(one))) continue;
    const orLeaveOut = other === undefined ? '' : `, or leave out ${other}`;
    const orAdd = unless.length === 0 ? '' : `, or add ${unless.join(' or ')}`;
    throw new WrongUse(`${option} has no effect here: ${why}`, `Leave it out${orLeaveOut}${orAdd}.`);
  }
}

/** The name of a command after the names of its parents, without the name of the program. */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

/** The options that were typed, of the command and of its parents. */
function givenTo(command: Command | null): string[] {
  if (command === null) return [];
  const own = command.options.filter(
    (option) => command.getOptionValueSource(option.attributeName()) === 'cli',
  );
  return [...own.map(({ long }) => long ?? ''), ...givenTo(command.parent)];
}
