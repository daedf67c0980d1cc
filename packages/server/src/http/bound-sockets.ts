/**
 * Limits connections by caller. A new connection belongs to its address until a request on it sends a key. Then the
 * connection belongs to the key. If the limit is reached, the caller with the most connections loses the connection
 * that was idle longest. So silent connections keep out no other caller.
 */
import type { Socket } from 'node:net';
import type { FairRoom, Held } from '../fair-room.ts';
import { type Caller, CallerRooms, callerWith, networkOf } from './caller-rooms.ts';
import type { CountCut } from './count-cuts.ts';
import { overloaded } from './overloaded.ts';

type Connection = { kind: Caller['kind']; held: Held; room: FairRoom; underWay: number };

export class BoundSockets {
  readonly #rooms: CallerRooms;
  readonly #connections = new Map<Socket, Connection>();
  readonly #count: CountCut;

  constructor(most: number, count: CountCut) {
    this.#rooms = new CallerRooms(most);
    this.#count = count;
  }

  get open(): number {
    return this.#connections.size;
  }

  all(): Iterable<Socket> {
    return this.#connections.keys();
  }

  /** Counts a new connection, or ends it if the limit is reached. */
  enter(socket: Socket): void {
    const connection = this.#placed(socket, callerWith(null, networkOf(socket.remoteAddress)));
    if (connection === null) {
      this.#count('connection');
      socket.destroy();
      return;
    }
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#leave(socket));
  }

  /** Marks a request on the connection as running until `ended` is called. */
  began(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    connection.underWay += 1;
    // A connection without a key stays marked as idle. So such connections are cut in the order of their arrival,
    // even during a request.
    if (connection.kind !== 'stranger') connection.held.state = 'busy';
  }

  ended(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    connection.underWay -= 1;
    if (connection.underWay > 0) return;
    connection.held.state = 'idle';
    connection.room.renew(connection.held);
  }

  /**
   * From now on, counts the connection for the caller that has proved its key on it.
   *
   * @throws HttpProblem 503 OVERLOADED if the key, or its tenant, has too many connections
   */
  shown(socket: Socket, caller: Caller): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || connection.held.holder.key === caller.holder.key) return;
    const { underWay } = connection;
    connection.room.leave(connection.held);
    const moved = this.#placed(socket, caller);
    if (moved === null) {
      this.#connections.delete(socket);
      throw overloaded('this API key has too many connections open', {
        remedy: 'Close some connections, or send several requests over one.',
      });
    }
    moved.held.state = underWay > 0 ? 'busy' : 'idle';
    this.#connections.set(socket, { ...moved, underWay });
  }

  #placed(socket: Socket, { kind, holder }: Caller): Connection | null {
    const cut = () => {
      this.#count('connection');
      socket.destroy();
    };
    const held: Held = { holder, state: 'idle', cut };
    const room = this.#rooms.take(kind, held, 1);
    return room === null ? null : { kind, held, room, underWay: 0 };
  }

  #leave(socket: Socket): void {
    const connection = this.#connections.get(socket);
    this.#connections.delete(socket);
    connection?.room.leave(connection.held);
  }
}
