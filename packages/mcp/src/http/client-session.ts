/**
 * The data that the proxy keeps for a client between its requests. In the older era, the server gives each session an
 * id. In the new era there are no sessions, so all requests of a caller share one object. A request stays open after
 * the connection of its POST has ended, because the server may send the answer later, on another stream.
 */
import type { OpenRequest } from '../govern/open-request.ts';
import type { Session } from '../govern/session.ts';
import { keepRecent } from '../keep-recent.ts';
import type { Response } from '../messages/read-message.ts';
import { ProvenMap } from '../proven-map.ts';

export type ClientSession = {
  session: Session;
  /** The requests of a named session that have no answer yet. Empty if the session has no name. */
  open: Map<string, OpenRequest>;
  /** The questions of the proxy to the client. */
  asked: Map<string, (answer: Response) => void>;
};

/** The maximum number of sessions that are kept. The session with the oldest use is forgotten first. */
const MOST_SESSIONS = 10_000;
/** The maximum number of requests of a session that may be open without a connection. */
const MOST_OPEN = 1_000;

export class ClientSessions {
  /** A session is proven when the server has accepted one of its requests. */
  readonly #sessions = new ProvenMap<ClientSession>(MOST_SESSIONS);
  readonly #create: () => Session;

  constructor(create: () => Session) {
    this.#create = create;
  }

  /** @param id the id that the server gave the session. Null: there is none */
  of(callerKey: string, id: string | null): ClientSession {
    const name = nameOf(callerKey, id);
    const known = this.#sessions.get(name) ?? this.created();
    this.#sessions.keep(name, known);
    return known;
  }

  /** Returns a session that has no id yet. */
  created(): ClientSession {
    return { session: this.#create(), open: new Map(), asked: new Map() };
  }

  /** Called when the server has given the session an id, or has accepted a request of the session. */
  prove(callerKey: string, id: string | null, session: ClientSession): void {
    this.#sessions.prove(nameOf(callerKey, id), session);
  }
}

/** Remembers a request. Its answer may come on another stream. */
export function rememberOpen({ open }: ClientSession, request: OpenRequest): void {
  keepRecent(open, request.request.id, request, MOST_OPEN);
}

function nameOf(callerKey: string, id: string | null): string {
  return JSON.stringify([callerKey, id]);
}
