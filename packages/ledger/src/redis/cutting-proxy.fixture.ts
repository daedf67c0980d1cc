/** A way to a server that loses an answer: the request arrives, is carried out, and the connection ends. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type CuttingProxy = {
  readonly url: string;
  /** The next answer to a request that has these words in it does not come through. */
  loseAnswerTo(words: string): void;
  /** How many answers were lost. */
  readonly lost: number;
  close(): void;
};

export async function startCuttingProxy(port: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let words: string | null = null;
  let lost = 0;
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    let cutting = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('data', (bytes) => {
      if (words !== null && bytes.includes(words)) {
        words = null;
        cutting = true;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (!cutting) return client.write(bytes);
      lost += 1;
      client.destroy();
      return upstream.destroy();
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseAnswerTo: (said) => {
      words = said;
    },
    get lost() {
      return lost;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
