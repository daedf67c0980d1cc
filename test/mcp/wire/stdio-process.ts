/**
 * A program that speaks MCP over stdin and stdout, driven byte by byte. An SDK would hide what this test client sees:
 * the order, the bytes and the broken parts of what the program writes.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { waitUntil } from '@mandate/testing';
import type { Frame } from './frame.ts';

export type Command = readonly [program: string, ...args: string[]];

export type StdioProcess = AsyncDisposable & {
  readonly child: ChildProcessWithoutNullStreams;
  /** Sends a message as one line, or text as it is. */
  send(message: object | string | Buffer): void;
  /** Returns the whole lines that stdout has so far, without their ends. */
  lines(): string[];
  /** Returns every byte that stdout has so far. */
  bytes(): Buffer;
  /** Returns how many bytes stdout has so far. */
  size(): number;
  /** Returns the text that stderr has so far. */
  errors(): string;
  /** Waits for a message that the condition accepts. */
  receive(what: string, accepts: (frame: Frame) => boolean): Promise<Frame>;
  /** Sends a request and waits for the response with its id. */
  request(frame: Frame): Promise<Frame>;
  /** Resolves to the exit code, or to the name of the signal that ended the program. */
  readonly ended: Promise<number | string>;
};

export function startStdio([program, ...args]: Command, env: NodeJS.ProcessEnv = process.env): StdioProcess {
  const child = spawn(program, args, { env, stdio: 'pipe' });
  const chunks: Buffer[] = [];
  let errors = '';
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk}`.slice(-100_000);
  });
  // The program may end before it has read everything. Then the test sees that it has ended.
  child.stdin.on('error', () => {});
  const ended = once(child, 'close').then(
    ([code, signal]: (number | string)[]) => code ?? signal ?? 'unknown',
  );
  const bytes = () => Buffer.concat(chunks);
  const lines = () => bytes().toString().split('\n').slice(0, -1);
  const send = (message: object | string | Buffer) =>
    void child.stdin.write(
      typeof message === 'string' || Buffer.isBuffer(message) ? message : `${JSON.stringify(message)}\n`,
    );
  const receive = async (what: string, accepts: (frame: Frame) => boolean) => {
    let seenBytes = -1;
    return waitUntil(what, () => {
      // Most looks find nothing new. Then the lines need not be read again.
      if (size === seenBytes) return undefined;
      seenBytes = size;
      return lines().map(frameOf).find(accepts);
    });
  };
  return {
    child,
    send,
    lines,
    bytes,
    size: () => size,
    errors: () => errors,
    receive,
    request(frame) {
      send({ jsonrpc: '2.0', ...frame });
      return receive(
        `a response to ${frame.method}`,
        ({ id, method }) => id === frame.id && method === undefined,
      );
    },
    ended,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Reads a line. A line that is no JSON is a message without fields, because servers of these tests write such lines. */
function frameOf(line: string): Frame {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
