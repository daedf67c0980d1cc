/** Starts the misbehaving server behind the proxy, and opens a connection of the older era. */
import { misbehaving } from '../misbehaving/misbehaving.ts';
import { type ProxyOptions, throughMandate } from '../proxy/mandate-mcp.ts';
import type { Frame } from '../wire/frame.ts';
import { initialize } from '../wire/handshake.ts';
import { type Command, type StdioProcess, startStdio } from '../wire/stdio-process.ts';

export async function openThrough(
  options: ProxyOptions = {},
  server: Command = misbehaving(),
): Promise<StdioProcess> {
  const client = startStdio(throughMandate(server, options));
  await initialize(client);
  return client;
}

/** Returns a call of a tool as a request. */
export function callOf(id: string | number, name: string, args: object = {}, meta?: object): Frame {
  const params = { name, arguments: args, ...(meta !== undefined && { _meta: meta }) };
  return { id, method: 'tools/call', params: params as NonNullable<Frame['params']> };
}

/** Returns the text of a result of a tool. */
export function textOf(frame: Frame): string {
  return frame.result?.content?.[0]?.text ?? JSON.stringify(frame);
}

/** Returns the names of the tools on all pages. */
export async function toolNames(client: StdioProcess, name: string): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  let page = 0;
  do {
    page += 1;
    const params = cursor === undefined ? {} : { cursor };
    const { result } = await client.request({ id: `${name}-${page}`, method: 'tools/list', params });
    names.push(...result.tools.map((tool: { name: string }) => tool.name));
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return names;
}
