/** Opens a raw connection to the server of a test. It is closed when the test ends. */
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type Dialed = {
  socket: Socket;
  /** Returns everything that was received so far. */
  received(): string;
  /** Resolves with everything that was received, when the server has closed the connection. */
  closed: Promise<string>;
  connected: Promise<void>;
};

/** @param text the text to send at once */
export function dial(url: string, text = ''): Dialed {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  socket.on('error', () => {});
  if (text !== '') socket.write(text);
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(received)));
  const connected = new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return { socket, closed, connected, received: () => received };
}
