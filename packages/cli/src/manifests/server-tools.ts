/** Reads the tools of MCP servers from a file: the answer of each server to `tools/list`, by the name of the server. */
import type { ImportOptions } from '@mandate/agent-manifest';
import { readOneDocument } from '@mandate/policy/one-document';
import { readShape } from '@mandate/schemas';
import { z } from 'zod';
import { WrongUse } from '../exit-codes.ts';

const tool = z.union([
  z.string().min(1),
  z.looseObject({
    name: z.string().min(1),
    description: z.string().optional(),
    annotations: z
      .looseObject({ readOnlyHint: z.boolean().optional(), destructiveHint: z.boolean().optional() })
      .optional(),
  }),
]);
const tools = z.array(tool).max(10_000);
const document = z.record(z.string(), z.union([tools, z.looseObject({ tools })]));

type Servers = NonNullable<ImportOptions['servers']>;

export function readServerTools(path: string, text: string): Servers {
  const read = readOneDocument(text, { what: 'list of tools', begins: 'issues:' }, 1);
  if (!read.ok) throw badServers(path, read.faults[0]?.message);
  const shaped = readShape(document, read.value, 1);
  if (!shaped.ok) throw badServers(path, shaped.faults[0]?.message);
  return Object.fromEntries(
    Object.entries(shaped.value).map(([server, listed]) => [
      server,
      (Array.isArray(listed) ? listed : listed.tools).map(listedTool),
    ]),
  );
}

function badServers(path: string, fault = ''): WrongUse {
  return new WrongUse(
    `${path} must have the tools of servers, by the names of the servers: ${fault}`,
    'Write { "issues": { "tools": [{ "name": "get_issue", "annotations": { "readOnlyHint": true } }] } }.',
  );
}

function listedTool(written: z.infer<typeof tool>): Servers[string][number] {
  if (typeof written === 'string') return { name: written };
  const { name, description, annotations: { readOnlyHint, destructiveHint } = {} } = written;
  return {
    name,
    ...(description !== undefined && { description }),
    ...(readOnlyHint !== undefined && { readOnly: readOnlyHint }),
    ...(destructiveHint !== undefined && { destructive: destructiveHint }),
  };
}
