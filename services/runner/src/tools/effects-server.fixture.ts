/**
 * An MCP server over stdio for tests. Its tools write each call into a file, so that a test counts the effects. It reads
 * the file's path from EFFECTS_FILE.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const file = process.env.EFFECTS_FILE ?? '';
const server = new McpServer({ name: 'effects', version: '1.0.0' });

type Extra = { _meta?: Record<string, unknown> | undefined };

function note(tool: string, extra: Extra): void {
  appendFileSync(file, `${tool} ${String(extra._meta?.['mandate/idempotencyKey'])}\n`);
}

function said(text: string) {
  return { content: [{ type: 'text' as const, text }] };
}

server.registerTool(
  'look',
  {
    description: 'Reads the balance of a customer.',
    inputSchema: { customer: z.string() },
    annotations: { readOnlyHint: true },
  },
  async ({ customer }, extra) => {
    note('look', extra);
    return said(`${customer} has 40 dollars.`);
  },
);

server.registerTool(
  'pay',
  { description: 'Pays an amount to a customer.', inputSchema: { customer: z.string(), amount: z.number() } },
  async ({ customer, amount }, extra) => {
    note('pay', extra);
    return said(`Paid ${amount} dollars to ${customer}.`);
  },
);

server.registerTool('fail', { description: 'Fails.', inputSchema: {} }, async (_args, extra) => {
  note('fail', extra);
  return { ...said('The bank is closed.'), isError: true };
});

for (const [name, readOnlyHint] of [
  ['hang', false],
  ['wait', true],
] as const) {
  const described = { description: 'Never answers.', inputSchema: {}, annotations: { readOnlyHint } };
  server.registerTool(name, described, async (_args, extra) => {
    note(name, extra);
    await sleep(600_000, undefined, { ref: false });
    return said('late');
  });
}

server.registerTool(
  'hold',
  { description: 'Pays, and answers once the test lets it go.', inputSchema: {} },
  async (_args, extra) => {
    note('hold', extra);
    // The timer must not keep the server alive after its runner has ended.
    while (!existsSync(`${file}.go`)) await sleep(20, undefined, { ref: false });
    return said('held');
  },
);

server.registerTool(
  'die',
  { description: 'Pays, and ends the server.', inputSchema: {} },
  async (_args, extra) => {
    note('die', extra);
    process.exit(1);
  },
);

server.registerTool(
  'long',
  { description: 'Returns a text of a length.', inputSchema: { bytes: z.number() } },
  async ({ bytes }) => said('x'.repeat(bytes)),
);

const renamed = server.registerTool('old', { description: 'Has another description soon.' }, async () => {
  renamed.update({ description: 'Has another description now.' });
  return said('changed');
});

await server.connect(new StdioServerTransport());
