/** Turns the text in brackets that Claude Code writes after a tool into schemas of the tool's arguments. */
import type { ArgumentSchema } from './imported-agent.ts';
import { allowedCommand, allowedFile, allowedHost, withoutClimbing, withoutCommand } from './tool-rules.ts';

/** The maximum length of a text in brackets. A longer text is not converted, and then the tool is not allowed. */
const LONGEST = 500;

const FIELDS: Readonly<Record<string, string>> = {
  Bash: 'command',
  PowerShell: 'command',
  Read: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  Write: 'file_path',
  NotebookEdit: 'notebook_path',
  WebFetch: 'url',
};

/** The pattern that an argument must match. The pattern `besides` must match too. */
export type ArgumentRule = { field: string; pattern: string; besides: readonly ArgumentSchema[] };

/** Returns the rule of `Bash(git *)`. Null if no pattern can express it. */
export function allowedBy(tool: string, specifier: string): ArgumentRule | null {
  const field = Object.hasOwn(FIELDS, tool) ? FIELDS[tool] : undefined;
  if (field === undefined || specifier === '' || specifier.length > LONGEST) return null;
  switch (field) {
    case 'command':
      return { field, pattern: allowedCommand(specifier), besides: [] };
    case 'url': {
      const [, host] = /^domain:([A-Za-z0-9*.-]{1,253})$/.exec(specifier) ?? [];
      return host === undefined ? null : { field, pattern: allowedHost(host), besides: [] };
    }
    default: {
      const pattern = allowedFile(specifier);
      return pattern === null ? null : { field, pattern, besides: [withoutClimbing(field)] };
    }
  }
}

/** Returns the schema of arguments that `Bash(rm *)` does not deny. Null if the whole tool must be denied. */
export function notDeniedBy(tool: string, specifier: string): ArgumentSchema | null {
  const field = Object.hasOwn(FIELDS, tool) ? FIELDS[tool] : undefined;
  return field === 'command' && specifier.length <= LONGEST ? withoutCommand(field, specifier) : null;
}
