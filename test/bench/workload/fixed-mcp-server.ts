/**
 * An MCP server in its own process: it answers every call of a tool at once with the same result. With the argument
 * `stdio` it speaks over stdio, and otherwise over HTTP, without sessions.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

const TOOLS = { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
const RESULT = { content: [{ type: 'text', text: 'A short answer.'.repeat(8) }] };

function answerTo(text: string): string {
  const { id, method } = JSON.parse(text) as { id: number; method: string };
  return JSON.stringify({ jsonrpc: '2.0', id, result: method === 'tools/list' ? TOOLS : RESULT });
}

if (process.argv[2] === 'stdio') {
  createInterface(process.stdin).on('line', (line) => process.stdout.write(`${answerTo(line)}\n`));
} else {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = answerTo(Buffer.concat(pieces).toString());
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () =>
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  );
}
