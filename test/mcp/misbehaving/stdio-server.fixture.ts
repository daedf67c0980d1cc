/**
 * A server over stdio that misbehaves. It is written on raw lines, because an SDK would not let it. Its tools choose what
 * it does. Options: `--ignore-signals` lets it live on after SIGTERM and the end of its input; `--pid-file PATH` writes its
 * process id; `--stderr TEXT` writes to stderr at the start.
 */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { Frame } from '../wire/frame.ts';
import type { ServerState } from './state.ts';
import { TOOLS, type Tools } from './tools.ts';
import { toolsPage } from './tools-page.ts';

const { values: options } = parseArgs({
  options: {
    'ignore-signals': { type: 'boolean' },
    'pid-file': { type: 'string' },
    stderr: { type: 'string' },
  },
});

const state: ServerState = { isRenamed: false, log: [] };
const asked = new Map<unknown, (answer: Frame) => void>();

async function write(bytes: string | Buffer): Promise<void> {
  if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
}

function send(frame: object): Promise<void> {
  return write(`${JSON.stringify(frame)}\n`);
}

function ask(id: string | number, method: string, params: object): Promise<Frame> {
  const { promise, resolve } = Promise.withResolvers<Frame>();
  asked.set(id, resolve);
  void send({ jsonrpc: '2.0', id, method, params });
  return promise;
}

async function handle(frame: Frame): Promise<void> {
  const { id, method, params } = frame;
  if (method === undefined) {
    asked.get(id)?.(frame);
    return;
  }
  state.log.push([method, params?.name ?? params?.requestId].filter((part) => part !== undefined).join(' '));
  if (id === undefined) return;
  const reply = (result: object) => send({ jsonrpc: '2.0', id, result });
  if (method === 'tools/call') {
    const tool = TOOLS[String(params?.name)] ?? TOOLS.echo;
    await tool?.({ call: frame as Tools['call'], state, write, send, reply, ask });
    return;
  }
  const result = resultOf(method, params);
  if (result !== undefined) await reply(result);
  else await send({ jsonrpc: '2.0', id, error: { code: -32601, message: `No method ${method}` } });
}

function resultOf(method: string, params: Frame['params']): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: { listChanged: true }, 'example.com/extra': { kept: true } },
        serverInfo: { name: 'misbehaving', version: '1.0.0' },
        instructions: 'Beware.',
      };
    case 'tools/list':
      return toolsPage(state, params?.cursor);
    case 'example.com/unknown-method':
      return { received: params };
    // As the tool of this name, but a proxy has nothing to decide.
    case 'example.com/rename-tools':
      state.isRenamed = true;
      void send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      return {};
    case 'ping':
      return {};
    default:
      return undefined;
  }
}

if (options['pid-file'] !== undefined) writeFileSync(options['pid-file'], String(process.pid));
if (options.stderr !== undefined) process.stderr.write(options.stderr);
if (options['ignore-signals'] === true) {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  // Keeps the process alive after its input has ended.
  setInterval(() => {}, 60_000);
}

for await (const line of createInterface(process.stdin)) {
  const frames: Frame | Frame[] = JSON.parse(line);
  // A call that waits must not hold up later messages.
  for (const frame of [frames].flat()) void handle(frame);
}
