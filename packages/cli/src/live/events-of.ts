/** The events of a stream of server-sent events, and whether another try may help after a failure. */
import { readEvents } from '@mandate/client';
import { CommandFailure } from '../exit-codes.ts';

/** @param onId is called with the id of each event that has one */
export function eventsOf(response: Response, onId: (id: string) => void): ReturnType<typeof readEvents> {
  return readEvents(bytesOf(response), onId);
}

async function* bytesOf({ body, url }: Response): AsyncGenerator<Uint8Array> {
  try {
    if (body !== null) yield* body;
  } catch {
    throw new CommandFailure(1, `the connection to ${url} was lost`);
  }
}

/** True if a retry may help: the network failed or a plane restarts. A wrong key or filter stays wrong. */
export function mayPass(error: unknown): boolean {
  return error instanceof CommandFailure && error.exitCode === 1;
}
