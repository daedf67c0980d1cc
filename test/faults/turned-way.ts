/** A way to a server that can be turned to another one, as a name does that a failover moves. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type TurnedWay = Disposable & {
  readonly port: number;
  /** Connections that there are end; new ones lead there. */
  turn(port: number): void;
};

export async function turnedWay(to: number): Promise<TurnedWay> {
  const sockets = new Set<Socket>();
  let target = to;
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    turn(port) {
      target = port;
      end();
    },
    [Symbol.dispose]() {
      server.close();
      end();
    },
  };
}
