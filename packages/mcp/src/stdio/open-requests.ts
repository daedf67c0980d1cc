/** The requests of a client that have no answer yet, by their ids. */
import type { OpenRequest } from '../govern/open-request.ts';
import { keepRecent } from '../keep-recent.ts';
import type { Request } from '../messages/read-message.ts';

const MOST_OPEN = 10_000;
/** The maximum number of cancelled requests that are kept. A late answer to such a request still settles its call. */
const MOST_GIVEN_UP = 1_000;

export class OpenRequests {
  readonly #open = new Map<string, OpenRequest>();
  /** Requests that the client cancelled, or that Mandate stopped. A server need not answer them. */
  readonly #givenUp = new Map<string, OpenRequest>();

  /** Returns why the request cannot be accepted, or null. */
  faultOf({ id }: Request): string | null {
    if (this.get(id) !== undefined) return `The id ${id} belongs to a request that has no answer yet.`;
    return this.#open.size >= MOST_OPEN ? `More than ${MOST_OPEN} requests have no answer yet.` : null;
  }

  add(open: OpenRequest): void {
    this.#open.set(open.request.id, open);
  }

  get(id: string): OpenRequest | undefined {
    return this.#open.get(id) ?? this.#givenUp.get(id);
  }

  remove(id: string): void {
    this.#open.delete(id);
    this.#givenUp.delete(id);
  }

  /** Called when the answer is no longer needed. */
  giveUp(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    keepRecent(this.#givenUp, id, open, MOST_GIVEN_UP);
  }

  /** The requests that the client still waits for. */
  waiting(): readonly OpenRequest[] {
    return [...this.#open.values()];
  }

  /** Returns a request if the client waits for its answer. */
  waitsFor(id: string): OpenRequest | undefined {
    return this.#open.get(id);
  }
}
