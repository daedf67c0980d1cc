/**
 * Applies the permissions of docker cagent. Denied tools are refused, allowed tools run at once, and a person confirms
 * all others.
 */
import { compileGlobs } from '@mandate/policy';
import type { ImportFields } from './import-fields.ts';
import { type Path, quoted } from './import-notes.ts';
import type { ImportedAgent } from './imported-agent.ts';
import { notAll, withoutCommand } from './tool-rules.ts';

/** A pattern such as `shell:cmd=rm *`: a glob of tools, and globs of arguments. All letters are lower case. */
type Permission = {
  text: string;
  path: Path;
  tool: string;
  args: readonly (readonly [field: string, glob: string])[];
  /** False if the pattern matches more tools here than in cagent. */
  isExact: boolean;
};

/** The maximum number of patterns, because each pattern is compared with every tool of every agent. */
const MOST_PATTERNS = 500;
const LONGEST_PATTERN = 500;

export function applyPermissions(fields: ImportFields, agents: readonly ImportedAgent[]): void {
  const deny = permissionsOf(fields, 'deny');
  const allow = permissionsOf(fields, 'allow');
  const ask = permissionsOf(fields, 'ask');
  fields.end();
  const count = deny.length + allow.length + ask.length;
  if (count > MOST_PATTERNS) {
    const message = `must have at most ${MOST_PATTERNS} patterns, and has ${count}`;
    fields.notes.fault('VALUE_WRONG', fields.file, fields.path, message);
    return;
  }
  warnOfStricter(fields, allow, ask);
  const runsAtOnce = matcher(allow.filter(({ args, isExact }) => args.length === 0 && isExact));
  const isDenied = matcher(deny.filter(({ args }) => args.length === 0));
  for (const agent of agents) {
    for (const { tool: pattern } of deny.filter(({ args }) => args.length === 0)) agent.deny(pattern);
    for (const { tool } of agent.tools) {
      if (isDenied(tool)) agent.deny(tool);
      else if (!runsAtOnce(tool)) agent.confirm(tool);
    }
    for (const permission of deny.filter(({ args }) => args.length > 0)) checkArguments(agent, permission);
  }
}

function permissionsOf(fields: ImportFields, name: string): Permission[] {
  return (fields.texts(name) ?? []).flatMap((text, at) => {
    const path = [...fields.at(name), at];
    if (text.length > LONGEST_PATTERN) {
      fields.notes.fault('VALUE_WRONG', fields.file, path, `must have at most ${LONGEST_PATTERN} characters`);
      return [];
    }
    const parts = text.trim().split(':');
    const firstArgument = parts.findIndex((part) => /^[A-Za-z_][\w.-]*=/.test(part));
    const names = firstArgument === -1 ? parts : parts.slice(0, firstArgument);
    // A colon may be part of the glob of an argument.
    const args: [string, string][] = [];
    for (const part of firstArgument === -1 ? [] : parts.slice(firstArgument)) {
      const equals = /^[A-Za-z_][\w.-]*=/.test(part) ? part.indexOf('=') : -1;
      const last = args.at(-1);
      if (equals !== -1) args.push([part.slice(0, equals), part.slice(equals + 1)]);
      else if (last !== undefined) last[1] += `:${part}`;
    }
    const tool = wider(names.at(-1) ?? '').toLowerCase();
    const isExact = wider(text) === text;
    if (/^[\w.*/-]{1,200}$/.test(tool))
      return [
        { text, path, tool, args: args.map(([field, glob]) => [field, wider(glob)] as const), isExact },
      ];
    fields.notes.fault('VALUE_WRONG', fields.file, path, `${quoted(text)} is no pattern of a tool`);
    return [];
  });
}

/**
 * Replaces syntax that only the globs of cagent have by a `*`. The new pattern denies or asks more often, which is the
 * safe side.
 */
function wider(glob: string): string {
  return glob.replaceAll(/\[[^\]]*\]|[?[\]]/g, '*');
}

function matcher(permissions: readonly Permission[]): (tool: string) => boolean {
  const match = compileGlobs(permissions.map(({ tool }) => tool));
  return (tool) => match(tool.toLowerCase()) !== null;
}

function checkArguments(agent: ImportedAgent, { tool: pattern, args }: Permission): void {
  const matches = compileGlobs([pattern]);
  const [first, second] = args;
  for (const { tool } of agent.tools) {
    if (matches(tool.toLowerCase()) === null || first === undefined) continue;
    const [field, glob] = first;
    const isCommand = second === undefined && (field === 'cmd' || field === 'command');
    agent.checkArguments(tool, isCommand ? withoutCommand(field, glob) : notAll(args));
  }
}

/** Warns of permissions that become stricter: a confirmation cannot depend on the arguments. */
function warnOfStricter(
  fields: ImportFields,
  allow: readonly Permission[],
  ask: readonly Permission[],
): void {
  for (const { text, path, args, tool } of allow) {
    if (args.length === 0 && !/[?[]/.test(text)) continue;
    const message = `${quoted(text)} cannot be said exactly, so a person confirms every call of ${tool}`;
    fields.notes.warn('RULE_STRICTER', fields.file, path, message);
  }
  for (const { text, path, args } of ask) {
    if (args.length === 0) continue;
    const message = `a confirmation cannot depend on arguments, so ${quoted(text)} asks for every call that is not allowed`;
    fields.notes.warn('RULE_STRICTER', fields.file, path, message);
  }
}
