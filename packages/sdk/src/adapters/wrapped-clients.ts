/** The clients that are already under a mandate. A client that was wrapped twice would charge each call twice. */
import { misused } from '../errors.ts';

const wrapped = new WeakSet<object>();

export function markWrapped(client: object): void {
  wrapped.add(client);
}

/** @throws MandateError SDK_MISUSED */
export function refuseWrapped(client: object): void {
  if (!wrapped.has(client)) return;
  throw misused('This client is under a mandate already.', 'Wrap the client that you created.');
}
