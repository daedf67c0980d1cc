/** The requests of a client that have no answer yet, by their ids. */
import type { OpenCall } from '../govern/open-call.ts';
import type { GovernedMethod } from '../govern/subjects.ts';
import type { Request } from '../messages/read-message.ts';

export type OpenRequest = {
  request: Request;
  /** Set if the request is governed. */
  governed: {
    request: Request & { method: GovernedMethod };
    /** Aborts when the client gives up while the call is decided. */
    deciding: AbortController;
    /** Null until the call is allowed. */
    call: OpenCall | null;
    /** True if the client has its answer already. */
    isAnswered: boolean;
  } | null;
};

const MOST_OPEN = 10_000;

export class OpenRequests {
  readonly #open = new Map<string, OpenRequest>();

  /** Returns why the request cannot be taken, or null. */
  faultOf({ id }: Request): string | null {
    if (this.#open.has(id)) return `The id ${id} belongs to a request that has no answer yet.`;
    return this.#open.size >= MOST_OPEN ? `More than ${MOST_OPEN} requests have no answer yet.` : null;
  }

  add(open: OpenRequest): void {
    this.#open.set(open.request.id, open);
  }

  get(id: string): OpenRequest | undefined {
    return this.#open.get(id);
  }

  remove(id: string): void {
    this.#open.delete(id);
  }

  all(): Iterable<OpenRequest> {
    return this.#open.values();
  }
}
