/**
 * The options that a command accepts and would ignore. They are refused before the command begins, because a person
 * would believe that they took effect. This table is the only place that says which options a command does not use.
 */
import type { Command } from 'commander';
import { WrongUse } from './exit-codes.ts';
import { PLANE_OPTIONS } from './global-options.ts';

/** If a row has neither `beside` nor `unless`, its options never have an effect on its commands. */
type WithoutEffect = {
  /** The commands with the names of their parents. If absent: all commands that have one of the options. */
  commands?: readonly string[];
  options: readonly string[];
  /** The options have no effect beside one of these. */
  beside?: readonly string[];
  /** The options have no effect unless one of these is given. */
  unless?: readonly string[];
  why: string;
};

const ASK_NO_PLANE = [
  ...['up', 'demo', 'profiles', 'validate', 'test', 'eval', 'snapshot', 'audit prune', 'migrate'],
  ...['completion', 'export verify'],
];
const KEYS = ['keys issue', 'keys list', 'keys revoke'];
const FOLDER_KEYS = ['--data', '--scopes', '--auditor', '--agents', '--tenant', '--pin'];
/** With one of these options, the commands for keys ask the API of a plane. */
const API = ['--url', '--control-url', '--profile'];
const ONE_ACTION = ['--agent', '--tool', '--args', '--id', '--cost', '--grant', '--attempt', '--context'];
const SERVERS = ['--kafka', '--clickhouse'];
const but = (...names: string[]) => PLANE_OPTIONS.filter((option) => !names.includes(option));

export const WITHOUT_EFFECT: readonly WithoutEffect[] = [
  { commands: ASK_NO_PLANE, options: PLANE_OPTIONS, why: 'the command asks no plane' },
  { commands: ['logout'], options: but('--profile'), why: 'the name after --profile says what to forget' },
  {
    commands: ['lint'],
    options: PLANE_OPTIONS,
    beside: ['--file'],
    why: 'files are checked without a plane',
  },
  { commands: ['demo', 'completion'], options: ['--json'], why: 'the command prints only text' },
  { commands: KEYS, options: but(...API), unless: API, why: 'the keys of a data folder are meant' },
  { commands: KEYS, options: FOLDER_KEYS, beside: API, why: 'it is only for the keys of a data folder' },
  { commands: ['keys list'], options: ['--cursor'], unless: API, why: 'a data folder has no pages' },
  { commands: ['publish'], options: ONE_ACTION, beside: ['--file'], why: 'the file already has the actions' },
  {
    commands: ['preview'],
    options: ['--args', '--cost'],
    unless: ['--tool'],
    why: 'only a tool call has it',
  },
  { commands: ['tail'], options: ['--lines'], beside: ['--since'], why: '--since says where to begin' },
  {
    commands: ['dead-letters republish'],
    options: ['--dry-run'],
    unless: ['--file'],
    why: 'without a corrected record there is no difference to show',
  },
  {
    commands: ['reconcile', 'snapshot', 'audit prune'],
    options: ['--data'],
    beside: SERVERS,
    why: 'the command reads from the server',
  },
  { options: ['--bounds'], beside: ['--unbounded'], why: 'the bounds are removed' },
  { options: ['--csv', '--columns'], beside: ['--json'], why: '--json has every column' },
  {
    options: ['--sparklines'],
    beside: ['--json', '--csv'],
    why: 'the output has the figures of all buckets',
  },
  { options: ['--sparklines'], unless: ['--interval'], why: 'there are no buckets to draw' },
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
    const or = other === undefined ? '' : `, or leave out ${other}`;
    const orGive = unless.length === 0 ? '' : `, or give ${unless.join(' or ')} too`;
    throw new WrongUse(`${option} has no effect here: ${why}`, `Leave it out${or}${orGive}.`);
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
