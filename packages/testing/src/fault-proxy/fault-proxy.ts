/**
 * A TCP proxy that breaks some of the traffic to a server. It can end connections that carried certain words. It can
 * also hold one request or answer, and then forward it late, drop it, or end its connection.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Framing, inTurn } from './framing.ts';
import { type Direction, Lane } from './lane.ts';

/** The text to look for in messages. For a string, upper and lower case do not matter. */
export type Words = string | RegExp;

/** One request or answer that is held. Later messages of the same connection wait too. */
export type HeldMessage = {
  /** Forwards the held message and the messages that wait after it. */
  forward(): void;
  /** Drops the held message. Messages that wait after it are forwarded, and the connection stays open. */
  drop(): void;
  /** Drops the held message, and ends its connection. */
  cut(): void;
};

export type FaultProxy = Disposable & {
  readonly port: number;
  /**
   * Ends every connection that has carried the words. Until `restore` is called, also ends each connection that
   * carries the words later.
   */
  cut(): void;
  restore(): void;
  /** How many connections `cut` has ended. */
  readonly cuts: number;
  /**
   * Lets the server carry out the next request with these words, but loses the answer and the connection. Then
   * resolves.
   */
  loseAnswer(to?: Words): Promise<void>;
  /**
   * Resolves once the next request with these words, or its answer, is held. With `answering`, the answer must
   * contain those words too, because the next answer may be an error.
   */
  hold(what: Direction, to?: Words, answering?: Words): Promise<HeldMessage>;
};

type Holding = PromiseWithResolvers<HeldMessage> & { what: Direction; to: Words; answering: Words };

/** @param framing splits a connection into requests, if several are under way on it */
export async function startFaultProxy(
  port: number,
  words: Words,
  framing: Framing = inTurn,
): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  const marked = new Set<Socket>();
  let holdings: Holding[] = [];
  let isCut = false;
  let cuts = 0;

  const end = (client: Socket) => {
    cuts += 1;
    client.destroy();
  };
  const takeHolding = (said: string, what: Direction) => {
    const found = holdings.find((holding) => holding.what === what && contains(said, holding.to));
    holdings = holdings.filter((holding) => holding !== found);
    return found;
  };
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const frames = framing();
    /** The held answers that have not arrived yet, by the id of the request. */
    const expected = new Map<number, Holding>();
    const [there, back] = [new Lane(upstream), new Lane(client)];
    const held = (lane: Lane): HeldMessage => ({
      forward: () => lane.goOn('with it'),
      drop: () => lane.goOn('without it'),
      cut: () => client.destroy(),
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('data', (arrived) => {
      for (const { id, says, bytes } of frames.requests(arrived)) {
        if (contains(says, words)) {
          marked.add(client);
          if (isCut) return end(client);
        }
        const forAnswer = takeHolding(says, 'answer');
        if (forAnswer !== undefined) expected.set(id, forAnswer);
        const forItself = takeHolding(says, 'request');
        there.send(bytes, forItself && (() => forItself.resolve(held(there))));
      }
    });
    upstream.on('data', (arrived) => {
      for (const { id, bytes } of frames.answers(arrived)) {
        const holding = expected.get(id);
        expected.delete(id);
        const isMeant = holding !== undefined && contains(bytes.toString('latin1'), holding.answering);
        if (holding !== undefined && !isMeant) holdings.push(holding);
        back.send(bytes, isMeant ? () => holding.resolve(held(back)) : undefined);
      }
    });
    const forget = () => {
      // The connection ended before the answer, so the hold waits for the next answer that fits.
      holdings.push(...expected.values());
      expected.clear();
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
  const hold = (what: Direction, to = words, answering: Words = '') => {
    const holding = { ...Promise.withResolvers<HeldMessage>(), what, to, answering };
    holdings.push(holding);
    return holding.promise;
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const client of marked) end(client);
    },
    restore() {
      isCut = false;
    },
    get cuts() {
      return cuts;
    },
    loseAnswer: async (to) => (await hold('answer', to)).cut(),
    hold,
    [Symbol.dispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function contains(said: string, words: Words): boolean {
  return typeof words === 'string' ? said.toLowerCase().includes(words.toLowerCase()) : words.test(said);
}
