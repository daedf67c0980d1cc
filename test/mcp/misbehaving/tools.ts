/** The tools of the misbehaving server. Each does one thing that real servers do to their clients. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Frame } from '../wire/frame.ts';
import type { ServerState } from './state.ts';

/** What a tool may use. `reply` answers the call. */
export type Tools = {
  call: Frame & { params: { name: string; arguments?: Record<string, unknown> } };
  state: ServerState;
  write(bytes: string | Buffer): Promise<void>;
  send(frame: object): Promise<void>;
  reply(result: object): Promise<void>;
  /** Sends a request to the client and waits for the answer with this id. */
  ask(id: string | number, method: string, params: object): Promise<Frame>;
};

const MEBIBYTE = 1024 * 1024;
export const ENDLESS_BYTES = 64 * MEBIBYTE;
export const FLOOD_FRAMES = 20_000;
/** A text with characters of two, three and four bytes. */
export const WIDE_TEXT = 'Grüße 世界 👋🏽 end';

export const TOOLS: Record<string, (tools: Tools) => Promise<void> | void> = {
  echo: ({ call, reply }) => reply(textResult(String(call.params.arguments?.message))),

  /** Returns the call as it came, so that a test sees what a proxy has changed. */
  mirror: ({ call, reply }) =>
    reply({
      ...textResult(JSON.stringify(call)),
      _meta: { 'example.com/from-server': { kept: true } },
      'example.com/unknown': [1, 2],
    }),

  crash: () => process.exit(3),

  'half-frame': async ({ call, write }) => {
    await write(`{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":{"content":[{"type":"te`);
    process.exit(0);
  },

  hang: () => {},

  flood: async ({ reply, write }) => {
    const notification = {
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: '' },
    };
    for (let count = 1; count <= FLOOD_FRAMES; count += 1) {
      notification.params.data = `line ${count} ${'x'.repeat(200)}`;
      await write(`${JSON.stringify(notification)}\n`);
    }
    await reply(textResult('The flood is over.'));
  },

  /** Writes the answer in pieces that end inside characters. */
  'split-bytes': async ({ call, write }) => {
    const frame = { jsonrpc: '2.0', id: call.id, result: textResult(WIDE_TEXT) };
    for (const byte of Buffer.from(`${JSON.stringify(frame)}\n`)) {
      await write(Buffer.of(byte));
      if (byte > 0x7f) await pause(1);
    }
  },

  'endless-line': async ({ write }) => {
    const piece = Buffer.alloc(MEBIBYTE, 'x');
    await write('{"jsonrpc":"2.0","method":"');
    for (let written = 0; written < ENDLESS_BYTES; written += piece.length) await write(piece);
  },

  'no-json': async ({ reply, write }) => {
    await write('Listening on port 3000\n');
    await write(Buffer.from([0xff, 0xfe, 0x0a]));
    await write('{"jsonrpc":"2.0",\n');
    await reply(textResult('After the noise.'));
  },

  /** Asks the client with the ids that the client itself uses. */
  'ask-client': async ({ call, ask, reply }) => {
    const answers = [
      await ask(0, 'roots/list', {}),
      await ask(call.id ?? 0, 'elicitation/create', { message: 'Who?', requestedSchema: { type: 'object' } }),
      await ask('text', 'sampling/createMessage', { messages: [], maxTokens: 1 }),
      await ask(7, 'ping', {}),
    ];
    await reply(textResult(JSON.stringify(answers)));
  },

  /** Answers in a batch, together with a notification. */
  'answer-in-batch': ({ call, write }) => {
    const notification = {
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: 'in batch' },
    };
    const answer = { jsonrpc: '2.0', id: call.id, result: textResult('From a batch.') };
    return write(`${JSON.stringify([notification, answer])}\n`);
  },

  /** Renames a tool, as a server does that wants to escape a filter by name. */
  'rename-tools': async ({ state, reply, send }) => {
    state.isRenamed = true;
    await send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await reply(textResult('Renamed.'));
  },

  progress: async ({ call, reply, send }) => {
    const progressToken = call.params._meta?.progressToken;
    for (const progress of [1, 2, 3]) {
      await send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress } });
    }
    await reply(textResult('Reported.'));
  },

  'call-log': ({ state, reply }) => reply(textResult(JSON.stringify(state.log))),
};

function textResult(text: string) {
  return { content: [{ type: 'text', text }] };
}
