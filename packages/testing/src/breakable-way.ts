/** A way to a server that breaks for some of what goes over it: for the connections on which certain words are said. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type BreakableWay = Disposable & {
  readonly port: number;
  /** Ends every connection on which the words were said, and each on which they are said, until `mend`. */
  cut(): void;
  mend(): void;
  /** How many connections were ended by that. */
  readonly cuts: number;
  /** The next request with these words arrives and is carried out; its answer is lost, with the connection. Then resolves. */
  loseAnswer(to?: string): Promise<void>;
};

type Losing = PromiseWithResolvers<void> & { to: string };

/** @param words in lower case; what is said is compared without regard to case */
export async function breakableWay(port: number, words: string): Promise<BreakableWay> {
  const sockets = new Set<Socket>();
  const marked = new Set<Socket>();
  let losing: Losing | null = null;
  let isCut = false;
  let cuts = 0;

  const end = (client: Socket) => {
    cuts += 1;
    client.destroy();
  };
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    let lost: Losing | null = null;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('data', (bytes) => {
      const said = bytes.toString('latin1').toLowerCase();
      if (said.includes(words)) {
        marked.add(client);
        if (isCut) return end(client);
      }
      if (losing !== null && said.includes(losing.to)) [lost, losing] = [losing, null];
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (lost === null) return client.write(bytes);
      lost.resolve();
      lost = null;
      client.destroy();
    });
    const forget = () => {
      // Given up before it was answered: then it is the answer to the next one that is lost.
      if (lost !== null) [lost, losing] = [null, lost];
      client.destroy();
      upstream.destroy();
      for (const socket of [client, upstream]) sockets.delete(socket);
      marked.delete(client);
    };
    client.on('close', forget);
    upstream.on('close', forget);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const client of marked) end(client);
    },
    mend() {
      isCut = false;
    },
    get cuts() {
      return cuts;
    },
    loseAnswer(to = words) {
      losing = { ...Promise.withResolvers<void>(), to: to.toLowerCase() };
      return losing.promise;
    },
    [Symbol.dispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
