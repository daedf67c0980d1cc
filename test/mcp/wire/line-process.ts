/** A program that reads and writes one message a line, for a bridge that handles each message when it comes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Frame } from './frame.ts';
import type { Command } from './stdio-process.ts';

export type LineProcess = { send(frame: Frame): void; stop(): Promise<void> };

export function startLines([program, ...args]: Command, onFrame: (frame: Frame) => void): LineProcess {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  child.stdin.on('error', () => {});
  createInterface(child.stdout).on('line', (line) => onFrame(JSON.parse(line)));
  return {
    send: (frame) => void child.stdin.write(`${JSON.stringify(frame)}\n`),
    async stop() {
      child.stdin.end();
      // A program that still waits for an answer of the client may not end.
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(timer);
    },
  };
}
