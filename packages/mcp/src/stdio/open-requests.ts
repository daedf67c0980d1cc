/** The requests of a client that have no answer yet, by their ids. */
import type { OpenRequest } from '../govern/open-request.ts';
import type { Request } from '../messages/read-message.ts';

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
